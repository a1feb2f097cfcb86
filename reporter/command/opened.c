// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/command/opened.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "reporter/advise/advise_in_short.h"
#include "reporter/command/cmd_report.h"
#include "reporter/command/progress.h"
#include "reporter/command/siblings.h"
#include "reporter/fill/fill_choose.h"
#include "reporter/loops/loops.h"
#include "reporter/metrics/choose.h"
#include "reporter/metrics/summary.h"
#include "reporter/run/run.h"
#include "reporter/symbolize/namer.h"

const char *const *ep_default_traces(void)
{
	static const char *const one[] = { EP_DEFAULT_TRACE, NULL };
	static struct ep_siblings ranks;

	if (!access(EP_DEFAULT_TRACE, F_OK))
		return one;
	if (!ranks.n && ep_siblings_find(EP_DEFAULT_TRACE, 0, &ranks))
		return one;
	return ranks.n ? (const char *const *)ranks.paths : one;
}

int ep_filler_take(void *into, const char *name)
{
	const struct ep_filler_ops **filler = into;

	*filler = ep_filler_find(name);
	return *filler ? 0 : -EINVAL;
}

void ep_opened_report_finish(struct ep_opened_report *opened)
{
	ep_report_destroy(opened->report);
	ep_symbols_destroy(opened->symbols);
	ep_trace_destroy(opened->trace);
	*opened = (struct ep_opened_report){ 0 };
}

static void show(void *context, uint64_t done_bytes, uint64_t size_bytes)
{
	ep_progress_show(done_bytes, size_bytes);
}

int ep_loops_of_trace_check(const struct ep_trace *trace, struct ep_error *err)
{
	const struct ep_costs *exact = trace->exact;

	if (!exact || (exact->keeps_instructions && exact->has_instructions))
		return 0;
	return ep_fail(err, -ENODATA,
		"the program ran inside valgrind where capstone was not installed, so that its costs are by source line and not by instruction, and of no loop: evreport --by line shows them; with libcapstone 'evprof run' records loops, too");
}

int ep_opened_report_create(const struct ep_report_options *options, const char *sysroot,
	struct ep_opened_report *out, struct ep_error *err)
{
	__attribute__((cleanup(ep_opened_report_finish))) struct ep_opened_report opened = { 0 };
	struct ep_report_options chosen = *options;
	struct ep_namer namer = { .sysroot = sysroot };
	struct ep_load_options how = { .progress = show,
		.keeps_changes = true,
		.name_places = ep_namer_name_places,
		.forget_names = ep_namer_forget,
		.namer = &namer };
	int rc = 0;

	if (options->loops)
		rc = ep_loops_check(err);
	if (rc && !options->loops_are_optional)
		return rc;
	namer.names_loops = chosen.loops = options->loops && !rc;
	how.needs_instructions = chosen.loops || options->instructions;
	if (!chosen.filler)
		chosen.filler = ep_filler_default(options->trace_paths).filler;
	how.filler = chosen.filler;
	how.from_ns = options->from_ns;
	how.to_ns = options->to_ns;
	how.region = options->region;
	how.filler_is_asked = options->filler && !options->filler_is_default;
	ep_progress_start("reading the trace");
	rc = ep_traces_load(options->trace_paths, &how, &opened.trace, err);
	ep_progress_stop();
	if (!rc && chosen.loops) {
		rc = ep_loops_of_trace_check(opened.trace, err);
		chosen.loops = !rc;
		rc = options->loops_are_optional ? 0 : rc;
	}
	opened.symbols = rc ? namer.symbols : ep_namer_symbols(&namer, opened.trace);
	if (rc)
		return rc;
	if (opened.symbols)
		opened.report = ep_report_create(opened.trace, opened.symbols, &chosen);
	if (!opened.report)
		return ep_fail(err, -ENOMEM, "out of memory");
	*out = opened;
	opened = (struct ep_opened_report){ 0 };
	return 0;
}

static bool is_stdout(const char *path)
{
	return !path || !strcmp(path, "-");
}

int ep_output_open(const char *path, FILE **out_file, struct ep_error *err)
{
	FILE *file = stdout;

	if (!is_stdout(path) && ep_reader_is_trace(path))
		return ep_fail(err, -EEXIST,
			"%s is a trace, or packed like one: the report would replace it; name another file with -o",
			path);
	if (!is_stdout(path))
		file = fopen(path, "we");
	if (!file)
		return ep_fail_at(err, -errno, (struct ep_place){ .file = path },
			"cannot write: %s", strerror(errno));
	*out_file = file;
	return 0;
}

int ep_output_close(FILE *file, const char *path, struct ep_error *err)
{
	bool has_failed = fflush(file) || ferror(file);
	int number = errno;

	if (!is_stdout(path) && fclose(file))
		has_failed = true;
	if (has_failed)
		return ep_fail_at(err, -EIO, (struct ep_place){ .file = path }, "cannot write: %s",
			strerror(number));
	return 0;
}

int ep_report_summarize(struct ep_report *report, const struct ep_trace *trace,
	struct ep_symbols *symbols, void *context)
{
	const char *cpuid = ep_trace_cpuid(trace);
	int rc = ep_metrics_summarize(report, cpuid);

	return rc ? rc : ep_advise_in_short(report, cpuid);
}
