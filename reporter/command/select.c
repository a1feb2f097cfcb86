// SPDX-License-Identifier: BSD-3-Clause
/* Finds the threads and the part of a trace that options select (select.h). */
#include "reporter/command/select.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/command/phase_load.h"
#include "reporter/facts/report.h"
#include "reporter/symbolize/symbolize.h"

static bool is_number(const char *text, uint32_t number)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	return end != text && !*end && value == number;
}

static const char *program_name(const struct ep_trace_process *process)
{
	const char *program = ep_trace_process_program(process);

	return program ? program : "?";
}

static const char *program_of(const struct ep_trace *trace, const struct ep_trace_thread *thread)
{
	return program_name(&trace->processes[thread->process_idx]);
}

/* Tells whether wanted is the program's name in a command line: "python3" in "/usr/bin/python3 work.py", although
 * the process's program is python3.11. */
static bool is_command(const char *wanted, const char *command)
{
	size_t size = command ? strcspn(command, " ") : 0, n = strlen(wanted);

	return n && n <= size && !memcmp(command + size - n, wanted, n) &&
	       (n == size || command[size - n - 1] == '/');
}

static bool is_process(
	const char *wanted, const struct ep_trace *trace, const struct ep_trace_thread *thread)
{
	const struct ep_trace_process *process = &trace->processes[thread->process_idx];
	const char *rank = process->meta[EP_META_RANK], *file = ep_trace_process_file(process);

	return is_number(wanted, process->key.pid) || !strcmp(wanted, program_of(trace, thread)) ||
	       (file && !strcmp(wanted, file)) || is_command(wanted, process->command) ||
	       (rank && !strncmp(wanted, "rank:", 5) && !strcmp(wanted + 5, rank));
}

static bool matches(const struct ep_selection *selection, const struct ep_trace *trace,
	const struct ep_trace_thread *thread)
{
	if (selection->process && !is_process(selection->process, trace, thread))
		return false;
	if (selection->thread && !is_number(selection->thread, thread->tid) &&
		(!thread->name || strcmp(selection->thread, thread->name)))
		return false;
	return true;
}

/* Lists threads as "xz 12 in process xz 12, worker 13 in process xz 12". The first few are enough to show how they
 * are named. */
static void list_threads(const struct ep_trace *trace, char *out, size_t size)
{
	size_t at = 0;

	out[0] = '\0';
	for (uint32_t i = 0; i < trace->n_threads && i < 8 && at < size; i++) {
		const struct ep_trace_thread *t = &trace->threads[i];

		at += snprintf(out + at, size - at, "%s%s %u in process %s %u", i ? ", " : "",
			t->name ? t->name : "?", t->tid, program_of(trace, t),
			trace->processes[t->process_idx].key.pid);
	}
	if (trace->n_threads > 8 && at < size)
		snprintf(out + at, size - at, ", and %u more", trace->n_threads - 8);
}

static bool is_first_of_program(const struct ep_trace *trace, uint32_t idx)
{
	for (uint32_t i = 0; i < idx; i++)
		if (!strcmp(program_name(&trace->processes[i]),
			    program_name(&trace->processes[idx])))
			return false;
	return true;
}

/* Lists processes as "bash 12, python3.11 13 (and 3 more)", each program once. */
static void list_processes(const struct ep_trace *trace, char *out, size_t size)
{
	size_t at = 0;

	out[0] = '\0';
	for (uint32_t i = 0; i < trace->n_processes && at < size - 100; i++) {
		uint32_t n_more = 0;

		if (!is_first_of_program(trace, i))
			continue;
		for (uint32_t k = i + 1; k < trace->n_processes; k++)
			n_more += !strcmp(program_name(&trace->processes[k]),
				program_name(&trace->processes[i]));
		at += snprintf(out + at, size - at, "%s%.40s %u", at ? ", " : "",
			program_name(&trace->processes[i]), trace->processes[i].key.pid);
		if (n_more)
			at += snprintf(out + at, size - at, " (and %u more)", n_more);
	}
}

static void describe(struct ep_selection *selection, uint32_t n_matching, uint32_t n_threads)
{
	snprintf(selection->text, sizeof(selection->text), "only %s%s%s%s%s: %u of %u threads",
		selection->process ? "process " : "", selection->process ? selection->process : "",
		selection->process && selection->thread ? ", " : "",
		selection->thread ? "thread " : "", selection->thread ? selection->thread : "",
		n_matching, n_threads);
}

static int mark(struct ep_selection *selection, const struct ep_trace *trace, struct ep_error *err)
{
	char list[600];
	uint32_t n = 0;

	selection->n_wanted = trace->n_threads;
	selection->wanted = calloc(trace->n_threads + 1, sizeof(*selection->wanted));
	if (!selection->wanted)
		return ep_fail(err, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < trace->n_threads; i++) {
		selection->wanted[i] = matches(selection, trace, &trace->threads[i]);
		n += selection->wanted[i];
	}
	describe(selection, n, trace->n_threads);
	if (n)
		return 0;
	if (!selection->thread) {
		list_processes(trace, list, sizeof(list));
		return ep_fail(
			err, -ENOENT, "no process is %s; there is: %s", selection->process, list);
	}
	list_threads(trace, list, sizeof(list));
	return ep_fail(err, -ENOENT, "no thread is %s%s%s; there is: %s",
		selection->process ? selection->process : "",
		selection->process && selection->thread ? ", " : "",
		selection->thread ? selection->thread : "", list);
}

static bool is_part(const struct ep_selection *selection)
{
	return selection->from_s > 0 || !isinf(selection->to_s);
}

static uint64_t end_ns(const struct ep_trace *trace)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < trace->n_processes; i++) {
		const struct ep_trace_process *p = &trace->processes[i];
		uint64_t of_this = ep_trace_process_is_void(p) ? 0 : p->born_ns + p->last_us * 1000;

		end = of_this > end ? of_this : end;
	}
	return end;
}

static void describe_part(struct ep_selection *selection)
{
	size_t used = strlen(selection->text);
	char *out = selection->text + used;
	size_t room = sizeof(selection->text) - used;
	const char *and = used ? "; " : "";

	if (isinf(selection->to_s))
		snprintf(out, room, "%sonly what ran from %g s on", and, selection->from_s);
	else
		snprintf(out, room, "%sonly what ran from %g s to %g s", and, selection->from_s,
			selection->to_s);
}

#define LATEST_S 1e9 /* about 30 years */

static uint64_t moment_ns(uint64_t birth_ns, double at_s)
{
	return birth_ns + (uint64_t)(fmin(at_s, LATEST_S) * 1e9);
}

/* Sets the selected part. A thread writes its blocks every second, so that the run may have ended a second later
 * than is known. */
static int find_part(
	struct ep_selection *selection, const struct ep_trace *trace, struct ep_error *err)
{
	uint64_t birth_ns = ep_trace_birth_ns(trace);
	double end_s = (double)(end_ns(trace) - birth_ns) / 1e9;

	if (selection->from_s >= selection->to_s)
		return ep_fail(err, -EINVAL, "--from %g is not before --to %g", selection->from_s,
			selection->to_s);
	if (selection->from_s > end_s + 1)
		return ep_fail(
			err, -ENOENT, "--from %g: the run took %.3g s", selection->from_s, end_s);
	selection->from_ns = moment_ns(birth_ns, selection->from_s);
	selection->to_ns = moment_ns(birth_ns, selection->to_s);
	describe_part(selection);
	return 0;
}

/* Lists the names of the regions that the run has. */
static void list_regions(const struct ep_trace *trace, char *out, size_t size)
{
	const struct ep_region_table *table = &trace->regions;
	size_t at = 0;

	out[0] = '\0';
	for (uint32_t i = 0; i < table->n_rows && i < 8 && at < size; i++)
		at += (size_t)snprintf(
			out + at, size - at, "%s%s", i ? ", " : "", table->rows[i].name);
	if (table->n_rows > 8 && at < size)
		snprintf(out + at, size - at, ", and %u more", table->n_rows - 8);
}

static int find_region(
	struct ep_selection *selection, const struct ep_trace *trace, struct ep_error *err)
{
	size_t used = strlen(selection->text);
	char list[600];

	for (uint32_t i = 0; i < trace->regions.n_rows; i++)
		if (!strcmp(trace->regions.rows[i].name, selection->region)) {
			snprintf(selection->text + used, sizeof(selection->text) - used,
				"%sonly what ran in region %s", used ? "; " : "",
				selection->region);
			return 0;
		}
	list_regions(trace, list, sizeof(list));
	if (!list[0])
		return ep_fail(err, -ENOENT,
			"--region %s: the program named no regions; evprof.h says how it does",
			selection->region);
	return ep_fail(err, -ENOENT, "no region is %s; there is: %s", selection->region, list);
}

static bool has_pipe(const char *const *paths)
{
	for (; *paths; paths++)
		if (!strcmp(*paths, "-"))
			return true;
	return false;
}

static int take_phase(
	struct ep_selection *selection, const char *const *paths, struct ep_error *err)
{
	const struct ep_phase_question question = { paths, selection->sysroot, selection->region };
	double times_s[2];
	int rc;

	if (selection->from_s > 0 || !isinf(selection->to_s))
		return ep_fail(
			err, -EINVAL, "--phase already selects a time: leave out --from and --to");
	rc = ep_phase_find_times(&question, selection->phase, times_s, err);
	if (rc)
		return rc;
	selection->from_s = times_s[0];
	selection->to_s = times_s[1];
	return 0;
}

int ep_selection_find(struct ep_selection *selection, const char *const *paths,
	const struct ep_load_options *options, struct ep_error *err)
{
	struct ep_load_options names = *options;
	struct ep_trace *trace;
	int rc;

	if (!selection->process && !selection->thread && !selection->region && !selection->phase &&
		!is_part(selection))
		return 0;
	if (has_pipe(paths))
		return ep_fail(err, -ESPIPE,
			"--process, --thread, --region, --phase, --from and --to read the trace twice and need a file, not a pipe");
	rc = selection->phase ? take_phase(selection, paths, err) : 0;
	if (rc)
		return rc;
	names.wants = NULL;
	names.skip_samples = true;
	rc = ep_traces_load(paths, &names, &trace, err);
	if (rc)
		return rc;
	rc = selection->process || selection->thread ? mark(selection, trace, err) : 0;
	if (!rc && is_part(selection))
		rc = find_part(selection, trace, err);
	if (!rc && selection->region)
		rc = find_region(selection, trace, err);
	ep_trace_destroy(trace);
	return rc;
}

int ep_selection_take_part(
	struct ep_selection *selection, struct ep_report_options *options, struct ep_error *err)
{
	const struct ep_load_options names = { .filler = options->filler };
	struct ep_selection of_run = { .region = selection->region,
		.phase = selection->phase,
		.sysroot = selection->sysroot,
		.from_s = selection->from_s,
		.to_s = selection->to_s };
	int rc = ep_selection_find(&of_run, options->trace_paths, &names, err);

	if (rc || !of_run.text[0])
		return rc;
	memcpy(selection->text, of_run.text, sizeof(selection->text));
	options->region = selection->region;
	options->from_ns = of_run.from_ns;
	options->to_ns = of_run.to_ns;
	options->selection = selection->text;
	return 0;
}

void ep_selection_finish(struct ep_selection *selection)
{
	free(selection->wanted);
	selection->wanted = NULL;
}

bool ep_selection_wants(const struct ep_selection *selection, uint32_t thread_idx)
{
	return !selection->wanted ||
	       (thread_idx < selection->n_wanted && selection->wanted[thread_idx]);
}
