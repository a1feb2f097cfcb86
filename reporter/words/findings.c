// SPDX-License-Identifier: BSD-3-Clause
/*
 * Adds the findings of the report in plain words: first those that make numbers less sure, then those that
 * are worth knowing. Each subject has a function, and the table matters has a row for each function.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/words/findings.h"

#include "common/cleanup.h"

void ep_finding_add(struct ep_words *builder, enum ep_finding_kind kind, const char *text)
{
	struct ep_report_said *said = builder->said;

	if (EP_ARRAY_RESERVE(said->findings, said->n_findings, said->finding_capacity)) {
		builder->out_of_memory = true;
		return;
	}
	said->findings[said->n_findings++] = (struct ep_report_finding){ kind, text };
}

/* A number, and the sentence that is added if the number is not 0. text has one %s, which becomes "12 blocks", for
 * example. */
struct counted {
	uint64_t n;
	const char *thing;
	enum ep_finding_kind kind;
	const char *text; /* NULL ends the table */
};

static void find_counted(struct ep_words *b, const struct counted *rows)
{
	for (; rows->text; rows++)
		if (rows->n)
			ep_finding_add(b, rows->kind,
				ep_text(b, rows->text, ep_number_of(b, rows->n, rows->thing)));
}

/* ---- the file ---- */

static void find_damage(struct ep_words *b)
{
	const struct ep_reader_stats *r = &b->trace->reader;
	const char *path = r->n_files > 1 ? r->first_damage_in : NULL;

	if (r->n_damages)
		WARN(b,
			"The trace is damaged: %s in %s could not be read (the first at byte %" PRIu64
			"%s%s). The report covers the rest. A process that is killed while it writes causes this.",
			ep_number_of(b, r->damaged_bytes, "byte"),
			ep_number_of(b, r->n_damages, "place"), r->first_damage_at,
			path ? " of " : "", path ? path : "");
	find_counted(b,
		(struct counted[]){
			{ r->cut_bytes, "byte", EP_FINDING_WARNING,
				"The trace was cut: its last %s are the beginning of an incomplete block. Everything after them is missing." },
			{ r->n_bad_frames, "piece", EP_FINDING_WARNING,
				"The inside of %s of the trace could not be decoded from some point on; what follows there was left out." },
			{ 0 },
		});
	if (r->n_other_version)
		WARN(b, "%s of the trace could not be read: its format is version %u, which this evreport does not know.",
			ep_number_of(b, r->n_other_version, "piece"), r->other_version);
}

static void find_blocks(struct ep_words *b)
{
	const struct ep_loss *l = &b->trace->loss;

	find_counted(b,
		(struct counted[]){
			{ l->n_undecodable, "block", EP_FINDING_WARNING,
				"Left out because they made no sense: %s." },
			{ l->n_without_meta, "block", EP_FINDING_WARNING,
				"Left out because the description of their process is not in the trace: %s of samples." },
			{ l->n_unknown_types, "block", EP_FINDING_NOTE,
				"Skipped because a newer evprof wrote them: %s of unknown kind." },
			{ 0 },
		});
}

static void find_other_runs(struct ep_words *b)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < b->trace->n_processes; i++)
		n += b->trace->processes[i].is_other_run;
	if (n)
		WARN(b, "%s holds more than one run: %u process%s not of the first one's tree. Sums include all of them; --process PID shows one.",
			b->trace->reader.n_files > 1 ? "A file" : "The file", n,
			n == 1 ? " is" : "es are");
}

#define APART_NS 10000000000 /* the ranks of one job start less than this apart */

/* Warns of files whose times lie apart: an older run with more ranks leaves files that the newer run does not
 * replace. */
static void find_times_apart(struct ep_words *b)
{
	const struct ep_trace *trace = b->trace;
	uint64_t last_start_ns = 0, first_end_ns = UINT64_MAX;

	/* the trace has its processes in the order of their files */
	for (uint32_t i = 0; i < trace->n_processes;) {
		uint32_t file = trace->processes[i].file_idx;
		uint64_t start_ns = UINT64_MAX, end_ns = 0;

		for (; i < trace->n_processes && trace->processes[i].file_idx == file; i++) {
			const struct ep_trace_process *p = &trace->processes[i];

			if (!p->has_meta)
				continue;
			start_ns = p->born_ns < start_ns ? p->born_ns : start_ns;
			end_ns = p->born_ns + p->last_us * 1000 > end_ns
					 ? p->born_ns + p->last_us * 1000
					 : end_ns;
		}
		if (!end_ns)
			continue;
		last_start_ns = start_ns > last_start_ns ? start_ns : last_start_ns;
		first_end_ns = end_ns < first_end_ns ? end_ns : first_end_ns;
	}
	if (last_start_ns > first_end_ns && last_start_ns - first_end_ns > APART_NS)
		WARN(b, "The traces were not recorded at one time: one ended %.3g s before another began. Files of an older run may be among them.",
			(double)(last_start_ns - first_end_ns) / 1e9);
}

/* ---- samples ---- */

#define HARDLY_LOST 0.1 /* per cent; fewer lost samples change no number that is shown */

static void find_lost(struct ep_words *b)
{
	const struct ep_loss *l = &b->trace->loss;
	double percent = ep_percent(l->n_lost_slices, l->n_lost_slices + b->report->n_samples);
	const char *lost = ep_number_of(b, l->n_lost_slices, "sample");

	if (l->n_lost_slices && percent < HARDLY_LOST)
		NOTE(b, "Lost while recording: %s, less than %.1f %% of all.", lost, HARDLY_LOST);
	else if (l->n_lost_slices)
		WARN(b, "Lost while recording: %s (%.1f %%), because a thread could not write in time. A longer period (evprof run --period) loses fewer.",
			lost, percent);
	find_counted(b,
		(struct counted[]){
			{ l->n_missing_slices, "sample", EP_FINDING_WARNING,
				"Missing, as gaps in their numbers show: %s. They were in a part of the trace that is lost." },
			{ l->n_without_path, "sample", EP_FINDING_WARNING,
				"The call path of %s is not in the trace; their time is under [call path lost]." },
			{ l->n_odd, "sample", EP_FINDING_WARNING,
				"Left out because their times are impossible: %s." },
			{ 0 },
		});
}

/* Warns of processes without exact costs: callgrind writes nothing for a process that is killed. */
static void find_not_exact(struct ep_words *b)
{
	const struct ep_report *r = b->report;

	if (r->n_not_exact)
		WARN(b, "Callgrind could not write the costs of %u of %u processes (killed, or still running when the run ended): their procedures are known from samples only. valgrind takes samples at system calls, so the shares and lines of these processes are rough.",
			r->n_not_exact, r->n_processes);
}

static void find_not_used(struct ep_words *b)
{
	static const char *const reasons[] = {
		[EP_COSTS_NOT_OF_A_PART] = "a part of the run",
		[EP_COSTS_NOT_OF_A_THREAD] = "some of a process's threads",
	};
	const char *what = reasons[b->trace->costs_absence];

	if (b->trace->costs_absence != EP_COSTS_USED)
		WARN(b, "Callgrind's exact costs are known only for whole processes. For %s there are only samples, which valgrind takes at system calls, so shares are rough. Leave out the selection to see the exact costs.",
			what);
}

static void find_too_short(struct ep_words *b)
{
	const struct ep_report *r = b->report;

	if (!r->n_threads)
		WARN(b, "No thread was measured.");
	else if (r->is_exact)
		find_not_exact(b);
	else if (!r->n_samples && !r->n_lost && b->trace->part.is_set)
		WARN(b, "There is no sample in this part of the run: it computed for less than one slice (%.3g ms) there, and waited.",
			r->period_ms);
	else if (!r->n_samples && !r->n_lost && b->trace->loss.n_unticked)
		WARN(b, "There is no sample, because no tick could come. Totals are right, but it is not known which procedures took the time.");
	else if (!r->n_samples && !r->n_lost && (double)r->cpu_ns > 2e6 * r->period_ms)
		WARN(b, "There is no sample: no tick came to the threads, which computed for %.3g ms. Totals are right, but it is not known which procedures took the time.",
			(double)r->cpu_ns / 1e6);
	else if (!r->n_samples && !r->n_lost)
		WARN(b, "There is no sample: %.3g ms of CPU time is less than one slice (%.3g ms). Totals are right, but it is not known which procedures took the time. A longer run helps, or a shorter evprof run --period.",
			(double)r->cpu_ns / 1e6, r->period_ms);
	else if (r->n_samples && r->n_samples < 100)
		WARN(b, "Only %s: shares are rough (50 %% may as well be %.0f or %.0f). A longer run helps, or a shorter evprof run --period.",
			ep_number_of(b, r->n_samples, "sample"),
			fmax(0, 50 - 100 / sqrt((double)r->n_samples)),
			fmin(100, 50 + 100 / sqrt((double)r->n_samples)));
}

static void find_uncovered(struct ep_words *b)
{
	const struct ep_report *r = b->report;
	double covered = ep_percent(r->sampled_ns + r->stolen_ns, r->cpu_ns);

	if (r->n_samples && covered < 95 && !r->is_exact)
		WARN(b, "Samples cover %.0f %% of the CPU time; the other samples are not in the trace. Shares of procedures are shares of the covered time.",
			covered);
}

#define MUCH_HIDDEN_PERCENT 20

static bool has_looks_for_calls(const struct ep_trace *trace)
{
	for (uint32_t i = 0; i < trace->n_processes; i++)
		if (trace->processes[i].calls_us)
			return true;
	return false;
}

static void find_hidden(struct ep_words *b)
{
	const struct ep_report *r = b->report;
	double percent = ep_percent(r->hidden_ns, r->sampled_ns);

	if (!r->hidden_ns || r->is_simulated)
		return;
	if (has_looks_for_calls(b->trace)) {
		NOTE(b, "%.1f %% of the CPU time was in the kernel, but in none of the system calls and page faults that were seen: interrupts, what was missed, and page faults of CPUs other than x86. The report shows this time as [kernel], half of it called by the procedure sampled before it and half by the one after it. evprof run --kernel shows where it was.",
			percent);
		return;
	}
	if (percent < MUCH_HIDDEN_PERCENT)
		NOTE(b, "%.1f %% of the CPU time was in the kernel (system calls, page faults), which the samples do not see into. The report shows this time as [kernel], half of it called by the procedure sampled before it and half by the one after it. evprof run --kernel shows which procedures called the kernel.",
			percent);
	else
		WARN(b, "%.1f %% of the CPU time was in the kernel (system calls, page faults), which the samples do not see into. The report shows this time as [kernel], half of it called by the procedure sampled before it and half by the one after it: that part of their totals, of the activities and of the callers is a guess. evprof run --kernel measures it.",
			percent);
}

#define MIN_TAIL_PERCENT 2

static void find_tails(struct ep_words *b)
{
	const char *text =
		b->trace->loss.n_unticked
			? "%s: the time between each thread's last sample and its end, and all time of threads without a sample; together %.1f %% of the CPU time."
			: "%s: the time between each thread's last sample and its end; together %.1f %% of the CPU time.";

	for (uint32_t i = 0; i < b->report->procedures.n_rows; i++) {
		const struct ep_report_row *row = &b->report->procedures.rows[i];

		if (row->kind == EP_SYMBOL_TAIL && 100 * row->self_share >= MIN_TAIL_PERCENT)
			NOTE(b, text, row->name, 100 * row->self_share);
	}
}

static void find_stacks(struct ep_words *b)
{
	const struct ep_loss *l = &b->trace->loss;
	double broken = ep_percent(l->n_broken_stacks, b->report->n_samples);
	double cut = ep_percent(l->n_cut_stacks, b->report->n_samples);

	if (broken >= 1)
		NOTE(b, "%.0f %% of the call paths could not be followed to their beginning (code without unwinding tables): the self times are right, the totals of the callers are too small.",
			broken);
	if (cut >= 1)
		NOTE(b, "%.0f %% of the call paths were deeper than is recorded: the self times are right, the totals of their outermost callers are too small.",
			cut);
}

/* ---- names ---- */

static void say_status(
	struct ep_words *b, enum ep_module_status status, const struct ep_report_row *row)
{
	double share = 100 * row->self_share;

	if (status == EP_MODULE_CHANGED)
		WARN(b, "%s is not the file that ran (its build-id differs): its %.1f %% of the time has no names.",
			row->module, share);
	if (status == EP_MODULE_KEPT)
		NOTE(b, "%s is not the file that ran any more; its names and lines are those of the copy that evprof kept then.",
			row->module);
	if (status == EP_MODULE_NEWER)
		WARN(b, "%s is newer than the run and has no build-id: its names (%.1f %% of the time) may be wrong.",
			row->module, share);
	if (status == EP_MODULE_ABSENT)
		WARN(b, "%s is not on this machine: its %.1f %% of the time has no names. --sysroot DIR tells where its files are.",
			row->module, share);
}

static void find_modules(struct ep_words *b)
{
	for (uint32_t i = 0; i < b->report->modules.n_rows; i++) {
		const struct ep_report_row *row = &b->report->modules.rows[i];

		if (!row->module[0] || row->self_share < 0.001)
			continue;
		for (uint32_t m = 0; m < b->trace->n_modules; m++)
			if (b->trace->modules[m].path == row->module)
				say_status(b, ep_symbols_module_status(b->symbols, m), row);
	}
}

/* Returns the share of time in the rows for which is_one is true. */
static double share_of(
	const struct ep_report_table *table, bool (*is_one)(const struct ep_report_row *row))
{
	double share = 0;

	for (uint32_t i = 0; i < table->n_rows; i++)
		if (is_one(&table->rows[i]))
			share += table->rows[i].self_share;
	return share;
}

static bool has_no_line(const struct ep_report_row *row)
{
	return row->is_known && row->module[0] && !row->file;
}

static void find_debug_info(struct ep_words *b)
{
	double without = share_of(&b->report->lines, has_no_line);

	if (without >= 0.2)
		NOTE(b, "%.0f %% of the time is in code without line information. Compiled with -g (optimisation may stay on), the report names its source lines and inlined procedures.",
			100 * without);
}

/* Tells whether a row is a procedure without a name, of a stripped file. Such procedures differ by their
 * start addresses. */
static bool is_nameless(const struct ep_report_row *row)
{
	return row->kind == EP_SYMBOL_NAMELESS;
}

static void find_nameless(struct ep_words *b)
{
	double share = share_of(&b->report->procedures, is_nameless);

	if (share >= 0.05)
		NOTE(b, "%.0f %% of the time is in procedures without a name (LIBRARY+0xSTART): their files are stripped. On Debian a -dbgsym package brings the names.",
			100 * share);
}

static void find_maps(struct ep_words *b)
{
	static const char *const texts[EP_N_MAP_STATUSES] = {
		[EP_MAP_CUT] =
			"is read as far as 256 MB: what it names after that has no names here.",
		[EP_MAP_UNREADABLE] =
			"names code made at run time, but may not be read by this user.",
		[EP_MAP_NO_FILE] =
			"is no regular file (but a link, a pipe, a folder): it is not read.",
		[EP_MAP_FOREIGN] =
			"is not read: its owner is neither the reader, nor the owner of the trace, nor root.",
		[EP_MAP_OLDER] =
			"is not read: it is older than the run, so an earlier process of that number wrote it.",
		[EP_MAP_SHARED] =
			"is not used: two processes of this trace had that process ID, each wrote a map, and the trace does not say which map belongs to which of them. Record each of them in a trace of its own to see the names.",
	};

	for (int status = 0; status < EP_N_MAP_STATUSES; status++) {
		uint32_t first = 0, n = 0;

		for (uint32_t m = b->trace->n_modules; texts[status] && m-- > 0;)
			if ((int)ep_symbols_map_status(b->symbols, m) == status) {
				first = b->trace->modules[m].pid;
				n++;
			}
		if (n == 1)
			WARN(b, "/tmp/perf-%u.map %s", first, texts[status]);
		else if (n)
			WARN(b, "/tmp/perf-%u.map %s The same holds for %s.", first, texts[status],
				ep_number_of(b, n - 1, "more map"));
	}
}

static void (*const matters[])(struct ep_words *builder) = {
	find_damage,
	find_blocks,
	find_other_runs,
	find_times_apart,
	find_lost,
	find_too_short,
	find_not_used,
	find_uncovered,
	ep_find_counters,
	find_modules,
	find_hidden,
	find_tails,
	find_stacks,
	find_debug_info,
	find_nameless,
	find_maps,
	ep_find_run_time_code,
	ep_find_interpreter,
	ep_find_regions,
	ep_find_run,
};

/* Takes the notes of the trace. The library's own notes on what cannot be measured go into the report's header;
 * the others become findings. */
static void take_notes(struct ep_words *b)
{
	const struct ep_trace *trace = b->trace;
	struct ep_report_said *said = b->said;

	said->missing = calloc(trace->n_notes + 1, sizeof(*said->missing));
	b->out_of_memory |= !said->missing;
	for (uint32_t i = 0; i < trace->n_notes && said->missing; i++) {
		if (trace->notes[i].is_of_start)
			said->missing[said->n_missing++] = trace->notes[i].text;
		else
			NOTE(b, "%s", trace->notes[i].text);
	}
}

void ep_build_findings(struct ep_words *builder)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(matters); i++)
		matters[i](builder);
	take_notes(builder);
}
