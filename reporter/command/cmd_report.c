// SPDX-License-Identifier: BSD-3-Clause
/* evreport [OPTIONS] [TRACE...]: loads traces, names and attributes their samples, and prints the report. */
#include "reporter/command/cmd_report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/options.h"
#include "reporter/command/decisions.h"
#include "reporter/command/opened.h"
#include "reporter/command/pager.h"
#include "reporter/command/progress.h"
#include "reporter/command/report_options.h"
#include "reporter/command/select.h"
#include "reporter/command/siblings.h"
#include "reporter/fill/fill_choose.h"
#include "reporter/loops/loops.h"
#include "reporter/metrics/choose.h"
#include "reporter/metrics/ratios.h"
#include "reporter/page/page.h"
#include "reporter/phases/phases_in_short.h"
#include "reporter/roofline/survey.h"
#include "reporter/run/run.h"
#include "reporter/symbolize/namer.h"
#include "reporter/view/terminal.h"
#include "reporter/view/view.h"

static uint32_t n_bins_for(const struct ep_report_request *command, const struct ep_trace *trace)
{
	return command->view == &ep_report_view_text
		       ? ep_view_text_bins(command->view_options.width, ep_trace_lacked_cpus(trace))
		       : EP_REPORT_DATA_BINS;
}

/* ---- work ---- */

static bool wants(void *context, const struct ep_trace *trace, uint32_t thread_idx)
{
	return ep_selection_wants(context, thread_idx);
}

static void show_reading(void *context, uint64_t done_bytes, uint64_t size_bytes)
{
	ep_progress_show(done_bytes, size_bytes);
}

static void show_naming(uint32_t n_done, uint32_t n_all)
{
	ep_progress_show(n_done, n_all);
}

/* Tells whether the output can show phases. A page can. Of a whole run, JSON and the text with all tables show them,
 * too. CSV and the text of a single table do not. */
static bool shows_phases(const struct ep_report_request *command)
{
	bool is_json = command->view == &ep_report_view_json,
	     is_csv = command->view == &ep_report_view_csv;

	return command->view == &ep_report_view_page ||
	       (!command->selection.text[0] && !is_csv &&
		       (is_json || command->view_options.by == EP_BY_ALL));
}

/* Callgrind's costs by instruction tell which loops are the hottest. For a large program such as a compiler they take
 * 100 MB of memory and half a second. If the trace files have more bytes than this limit, these costs are kept only for
 * output that has loops. */
#define MOST_BYTES_WITH_INSTRUCTIONS (1 << 20)

static bool needs_instructions(const struct ep_report_request *command)
{
	int64_t n_bytes = 0;
	struct stat st;

	for (const char *const *path = command->paths; *path; path++)
		n_bytes += !stat(*path, &st) ? st.st_size : 0;
	return command->has_loops || n_bytes <= MOST_BYTES_WITH_INSTRUCTIONS;
}

static int load(struct ep_report_request *command, struct ep_namer *namer,
	struct ep_trace **out_trace, struct ep_error *err)
{
	struct ep_load_options options = {
		.filler = command->filler,
		.filler_is_asked = !command->choice.filler,
		.context = &command->selection,
		.progress = show_reading,
		.n_threads = command->n_threads,
		.needs_instructions = needs_instructions(command),
	};
	int rc;

	ep_progress_start("reading the trace");
	rc = ep_selection_find(&command->selection, command->paths, &options, err);
	if (command->selection.wanted)
		options.wants = wants;
	options.name_places = ep_namer_name_places;
	options.forget_names = ep_namer_forget;
	options.namer = namer;
	options.from_ns = command->selection.from_ns;
	options.to_ns = command->selection.to_ns;
	options.region = command->selection.region;
	if (shows_phases(command)) {
		options.see_times = ep_time_log_see;
		options.forget_seen = ep_time_log_forget;
		options.seer = &command->times;
		command->times.counts = &command->counts;
		options.times_are_optional = true;
	}
	if (command->view == &ep_report_view_page) {
		options.keeps_changes = true;
		options.see_sum = ep_time_log_see_sum;
		command->times.sums = &command->sums;
	}
	if (!rc)
		rc = ep_traces_load(command->paths, &options, out_trace, err);
	ep_progress_stop();
	return rc;
}

static bool shows_ratios(const struct ep_report_request *command)
{
	enum ep_by by = command->view_options.by;

	return command->view == &ep_report_view_page ||
	       (command->view == &ep_report_view_text &&
		       (by == EP_BY_ALL || by == EP_BY_PROCEDURES));
}

/* Adds the metrics to the report, unless the output is CSV or the text of a single table, which do not show them. Adds
 * the ratios of procedures if they are shown. */
static int summarize(const struct ep_report_request *command, struct ep_report *report,
	const struct ep_trace *trace)
{
	bool is_shown =
		command->view == &ep_report_view_json || command->view == &ep_report_view_page ||
		(command->view == &ep_report_view_text && command->view_options.by == EP_BY_ALL);

	int rc = is_shown ? ep_report_summarize(report, trace, NULL, NULL) : 0;

	if (rc || !shows_ratios(command))
		return rc;
	return ep_ratios_summarize(report, ep_trace_cpuid(trace));
}

/* Adds the phases to the report. None are added for a part of a run, since their numbers would differ from the numbers
 * in the whole run. None are added either if the trace has sums of a reduced file or costs of callgrind, which have no
 * times. */
static int add_phases(struct ep_report_request *command, const struct ep_trace *trace,
	struct ep_symbols *symbols, struct ep_report *report)
{
	bool is_part = command->selection.text[0] || trace->has_reduced;
	int rc;

	if (!shows_phases(command) || is_part || trace->exact)
		return 0;
	rc = ep_phases_find(trace, symbols, &command->times, &command->phases);
	command->has_phases = !rc;
	return rc ? rc : ep_phases_in_short(report, &command->phases);
}

/* Adds facts and sentences to a report that do not come from the trace alone. */
static int add_to_report(struct ep_report *report, const struct ep_trace *trace,
	struct ep_symbols *symbols, void *context)
{
	struct ep_report_request *command = context;
	int rc = summarize(command, report, trace);

	if (!rc)
		rc = add_phases(command, trace, symbols, report);
	return rc ? rc : ep_siblings_note(command->paths, report);
}

/* Adds metrics and phases to the short report for the text on the page. The phases were found before, for the page's
 * full report. */
static int add_to_brief(struct ep_report *report, const struct ep_trace *trace,
	struct ep_symbols *symbols, void *context)
{
	const struct ep_report_request *command = context;
	int rc = summarize(command, report, trace);

	return rc || !command->has_phases ? rc : ep_phases_in_short(report, &command->phases);
}

enum { n_roofline_rows = 50 };

/* Makes the page's roofline. There is none for a part of a run, for an unknown CPU, or if no count tells how much was
 * computed. */
static int survey_roofline(const struct ep_report_request *command,
	const struct ep_page_source *source, struct ep_roofline *out)
{
	const struct ep_roofline_request request = { .report = source->report,
		.trace = source->trace,
		.top = n_roofline_rows,
		.phases = command->has_phases ? &command->phases : NULL };
	struct ep_error err;
	int rc = ep_trace_cpuid(source->trace) && !command->selection.text[0]
			 ? ep_roofline_create(&request, out, &err)
			 : 0;

	return rc == -ENOMEM ? rc : 0;
}

/* Writes the page, with all metrics and the roofline in addition to the report. */
static int write_page_of(
	FILE *out, const struct ep_report_request *command, struct ep_page_source *source)
{
	struct ep_metric_tree metrics = { 0 };
	int rc = ep_metric_tree_build(&metrics, source->report, ep_trace_cpuid(source->trace));

	__attribute__((cleanup(ep_roofline_finish))) struct ep_roofline roofline = { 0 };

	if (!rc)
		rc = survey_roofline(command, source, &roofline);
	source->roofline = roofline.n_points ? &roofline : NULL;
	source->metrics = &metrics;
	source->phases = command->has_phases ? &command->phases : NULL;
	if (!rc)
		rc = ep_page_write(out, source);
	ep_metric_tree_finish(&metrics);
	return rc;
}

static int write_page(FILE *out, struct ep_report_request *command, struct ep_trace *trace,
	struct ep_symbols *symbols, const struct ep_report *report)
{
	struct ep_report_options options = { .top = EP_REPORT_DEFAULT_TOP,
		.n_bins = ep_view_text_bins(EP_PAGE_TEXT_COLUMNS, ep_trace_lacked_cpus(trace)),
		.brief = true,
		.trace_paths = command->paths,
		.filler = command->filler,
		.add = add_to_brief,
		.add_context = command };
	/* The text on the page shows the most important rows only. */
	const struct ep_report *brief = ep_report_create(trace, symbols, &options);
	struct ep_page_source source = { .trace = trace,
		.symbols = symbols,
		.report = report,
		.brief = brief,
		.times = &command->times,
		.sysroot = command->sysroot,
		.no_source = command->no_source,
		.has_loops = command->has_loops };
	int rc = brief ? write_page_of(out, command, &source) : -ENOMEM;

	ep_report_destroy(brief);
	return rc;
}

static int write_report(struct ep_report_request *command, struct ep_trace *trace,
	struct ep_symbols *symbols, const struct ep_report *report, struct ep_error *err)
{
	FILE *out;
	int rc = ep_output_open(command->output, &out, err), closed;

	if (rc)
		return rc;
	if (!command->output)
		ep_pager_start();
	rc = command->view == &ep_report_view_page
		     ? write_page(out, command, trace, symbols, report)
		     : command->view->print(out, report, &command->view_options);
	closed = ep_output_close(out, command->output, err);
	return rc ? ep_fail(err, -ENOMEM, "out of memory") : closed;
}

static int report_trace(struct ep_report_request *command, struct ep_trace *trace,
	struct ep_namer *namer, struct ep_error *err)
{
	struct ep_report_options options = {
		.top = command->top,
		.n_bins = n_bins_for(command, trace),
		.callers = command->view_options.callers,
		.loops = command->has_loops,
		.languages = command->view_options.by == EP_BY_LANGUAGES,
		.all_calls = command->all_calls,
		.calls_have_loops = command->has_loops && command->view_options.by == EP_BY_LOOPS,
		.brief = command->top && command->view == &ep_report_view_text,
		.trace_paths = command->paths,
		.filler = command->filler,
		.selection = command->selection.text[0] ? command->selection.text : NULL,
		.progress = show_naming,
		.add = add_to_report,
		.add_context = command,
	};
	struct ep_symbols *symbols = ep_namer_symbols(namer, trace);
	const struct ep_report *report;
	int rc;

	ep_progress_start("finding names");
	report = symbols ? ep_report_create(trace, symbols, &options) : NULL;
	ep_progress_stop();
	if (!report)
		return ep_fail(err, -ENOMEM, "out of memory");
	if (command->is_verbose)
		ep_decisions_print(stderr, trace, symbols, report,
			command->choice.filler ? command->choice.why : "as asked for");
	rc = write_report(command, trace, symbols, report, err);
	ep_report_destroy(report);
	return rc;
}

/* Decides whether loops are looked for. The page shows loops if they can be found; --by loop fails if they cannot. */
static int choose_loops(struct ep_report_request *command, struct ep_error *err)
{
	struct ep_error ignored;
	bool is_page = command->view == &ep_report_view_page,
	     is_asked = command->view_options.by == EP_BY_LOOPS;
	int rc = is_asked || is_page ? ep_loops_check(is_asked ? err : &ignored) : 0;

	command->has_loops = !rc && (is_asked || is_page);
	return is_asked ? rc : 0;
}

static int check_loops(
	struct ep_report_request *command, const struct ep_trace *trace, struct ep_error *err)
{
	struct ep_error ignored;
	bool is_asked = command->view_options.by == EP_BY_LOOPS;
	int rc = command->has_loops ? ep_loops_of_trace_check(trace, is_asked ? err : &ignored) : 0;

	command->has_loops &= !rc;
	return is_asked ? rc : 0;
}

int ep_cmd_report(int argc, char **argv)
{
	struct ep_report_request command = {
		.paths = ep_default_traces(),
		.top = EP_TOP_NOT_SAID,
		.times = { .most = EP_PHASE_LOG_MOST },
		.counts = { .most = EP_PHASE_LOG_MOST },
		.sums = { .most = EP_SUM_LOG_MOST },
		.selection = { .to_s = INFINITY },
	};
	struct ep_namer namer = { 0 };
	struct ep_trace *trace = NULL;
	struct ep_error err;
	int status = ep_report_options_parse(&command, argc, argv), rc;

	if (status != EP_OPTIONS_READ)
		return status;
	if (!command.filler) {
		command.choice = ep_filler_default(command.paths);
		command.filler = command.choice.filler;
	}
	ep_terminal_look(&command.view_options, !command.output, command.colour);
	namer.sysroot = command.selection.sysroot = command.sysroot;
	rc = choose_loops(&command, &err);
	namer.names_loops = command.has_loops;
	if (!rc)
		rc = load(&command, &namer, &trace, &err);
	if (!rc)
		rc = check_loops(&command, trace, &err);
	if (!rc)
		rc = report_trace(&command, trace, &namer, &err);
	if (rc)
		ep_error_print(&err, "evreport");
	ep_symbols_destroy(namer.symbols);
	ep_trace_destroy(trace);
	ep_selection_finish(&command.selection);
	ep_time_log_finish(&command.times);
	ep_phases_finish(&command.phases);
	return rc ? 1 : 0;
}
