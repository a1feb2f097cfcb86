// SPDX-License-Identifier: BSD-3-Clause
/* evreport [OPTIONS] [TRACE...]: load, name, attribute, print. */
#include "reporter/command/cmd_report.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/options.h"
#include "reporter/command/decisions.h"
#include "reporter/command/opened.h"
#include "reporter/command/pager.h"
#include "reporter/command/progress.h"
#include "reporter/command/select.h"
#include "reporter/command/siblings.h"
#include "reporter/fill/fill_choose.h"
#include "reporter/loops/loops.h"
#include "reporter/metrics/choose.h"
#include "reporter/metrics/ratios.h"
#include "reporter/page/page.h"
#include "reporter/phases/phases_in_short.h"
#include "reporter/run/run.h"
#include "reporter/symbolize/namer.h"
#include "reporter/view/terminal.h"
#include "reporter/view/view.h"

#define DEFAULT_TOP 20
#define TOP_NOT_SAID UINT32_MAX

struct report_request {
	const char *const *paths; /* NULL behind the last */
	const char *output, *html, *sysroot;
	const struct ep_report_view *view; /* NULL: not said */
	const struct ep_filler_ops *filler;
	struct ep_view_options view_options;
	enum ep_colour colour;
	struct ep_selection selection;
	struct ep_time_log times;
	struct ep_count_log counts; /* of times */
	struct ep_phases phases;    /* of a whole run */
	bool has_phases;
	uint32_t top, n_threads;
	bool has_loops, no_source;
	bool all_calls;
	bool is_verbose;
	struct ep_filler_choice choice; /* where --estimator names none */
};

/* It needs more than a report: write_page() makes it. */
static const struct ep_report_view page_view = { .name = "html" };

static const struct ep_report_view *const views[] = { &ep_report_view_text, &ep_report_view_json,
	&ep_report_view_csv, &page_view };

static const struct {
	const char *name;
	enum ep_by by;
} by_names[] = {
	{ "procedure", EP_BY_PROCEDURES },
	{ "line", EP_BY_LINES },
	{ "module", EP_BY_MODULES },
	{ "thread", EP_BY_THREADS },
	{ "process", EP_BY_PROCESSES },
	{ "wait", EP_BY_WAITS },
	{ "loop", EP_BY_LOOPS },
	{ "language", EP_BY_LANGUAGES },
	{ "rank", EP_BY_RANKS },
	{ "host", EP_BY_HOSTS },
};

/* ---- options ---- */

static const char option_lines[] =
	"  -b, --by WHAT               one table: procedure, loop (and the call tree), line, module,\n"
	"                              language, thread, process, rank, host or wait\n"
	"  -n, --top N                 rows of each table, 0 for all (20)\n"
	"  -c, --callers               who called each procedure\n"
	"      --calls WHICH           calls in JSON: large (default) or all\n"
	"  -p, --process PID|PROGRAM   only these processes; rank:N is one of MPI's\n"
	"  -t, --thread TID|NAME       only these threads\n"
	"      --region NAME           only what ran in a region that the program has named\n"
	"      --phase N               only this phase of those that evreport phases shows\n"
	"      --from SECONDS          only what ran from then on: a phase that Over time shows\n"
	"      --to SECONDS            only what ran until then\n"
	"  -f, --format FORMAT         text, json, csv or html\n"
	"  -o, --output FILE           write there instead of standard output\n"
	"      --html FILE             write a page to look at and to pass on: --format html -o FILE\n"
	"      --no-source             leave source lines and instructions out of the page\n"
	"  -e, --estimator NAME        fills events not measured in a slice: auto, path, hold, ... (default:\n"
	"                              auto up to 10,000 slices, path up to 2 million, then hold)\n"
	"      --threads N             threads that read the traces (2 where there are CPUs for it)\n"
	"      --color WHEN            auto (on a terminal, the default), always or never\n"
	"  -s, --sysroot DIR           find programs and libraries below DIR\n"
	"      --verbose               say on stderr what was decided for the report, and why\n";

void ep_report_print_options(void)
{
	fputs(option_lines, stdout);
}

static void print_more(FILE *out)
{
	fprintf(out, "%s\nOther commands: evreport --help\n", option_lines);
}

static int take_by(void *into, const char *value)
{
	enum ep_by *by = into;

	for (size_t i = 0; i < EP_ARRAY_SIZE(by_names); i++) {
		if (strcmp(by_names[i].name, value))
			continue;
		*by = by_names[i].by;
		return 0;
	}
	return -EINVAL;
}

static int take_calls(void *into, const char *value)
{
	bool *all_calls = into;

	*all_calls = !strcmp(value, "all");
	return *all_calls || !strcmp(value, "large") ? 0 : -EINVAL;
}

static int take_format(void *into, const char *value)
{
	const struct ep_report_view **view = into;

	for (size_t i = 0; i < EP_ARRAY_SIZE(views); i++) {
		if (strcmp(views[i]->name, value))
			continue;
		*view = views[i];
		return 0;
	}
	return -EINVAL;
}

static uint32_t default_top(const struct ep_report_view *view)
{
	if (view == &page_view)
		return EP_PAGE_TOP;
	return view == &ep_report_view_text ? DEFAULT_TOP : 0;
}

/* Returns NULL, or which options do not go together. */
static const char *find_contradiction(const struct report_request *command)
{
	bool is_json = command->view == &ep_report_view_json,
	     is_page = command->html || command->view == &page_view;
	enum ep_by by = command->view_options.by;

	if (command->html && command->output)
		return "--html FILE names the page's file: leave -o out";
	if (command->html && command->view && command->view != &page_view)
		return "--html FILE writes a page: leave --format out";
	if (command->no_source && !is_page)
		return "--no-source is for a page: --html FILE";
	if (command->all_calls && (command->html || !is_json))
		return "--calls all is for --format json: the text has large calls only";
	if (command->view == &ep_report_view_csv && command->view_options.callers)
		return "--callers is for text and JSON: CSV has a row for each procedure";
	if (is_json && by && by != EP_BY_LOOPS && by != EP_BY_LANGUAGES)
		return "--by chooses a table of text and CSV: JSON has all (loop and language add theirs)";
	if (is_page && by)
		return "--by chooses a table of text and CSV: a page has all";
	return NULL;
}

/* EP_OPTIONS_READ, or the exit status. */
static int parse_options(struct report_request *command, int argc, char **argv)
{
	static const char seconds[] = "seconds since the run began";
	const struct ep_option rows[] = {
		{ "by", 'b', .take = take_by, .into = &command->view_options.by,
			.expected =
				"procedure, loop, line, module, language, thread, process, rank, host or wait" },
		{ "top", 'n', .count = &command->top, .most = TOP_NOT_SAID - 1,
			.expected = "a number of rows, or 0 for all" },
		{ "callers", 'c', .flag = &command->view_options.callers },
		{ "calls", .take = take_calls, .into = &command->all_calls,
			.expected = "large or all" },
		{ "process", 'p', .text = &command->selection.process },
		{ "thread", 't', .text = &command->selection.thread },
		{ "region", .text = &command->selection.region },
		{ "phase", .count = &command->selection.phase, .least = 1, .most = UINT32_MAX,
			.expected = EP_PHASE_EXPECTED },
		{ "from", .number = &command->selection.from_s, .most = INFINITY,
			.expected = seconds },
		{ "to", .number = &command->selection.to_s, .most = INFINITY, .expected = seconds },
		{ "format", 'f', .take = take_format, .into = &command->view,
			.expected = "text, json, csv or html" },
		{ "html", .text = &command->html },
		{ "no-source", .flag = &command->no_source },
		{ "output", 'o', .text = &command->output },
		{ "estimator", 'e', .take = ep_filler_take, .into = &command->filler,
			.expected = EP_FILLER_EXPECTED },
		{ "threads", .count = &command->n_threads, .least = 1, .most = EP_THREADS_MOST,
			.expected = EP_THREADS_EXPECTED },
		{ "color", .take = ep_colour_take, .into = &command->colour,
			.expected = EP_COLOUR_EXPECTED },
		{ "sysroot", 's', .text = &command->sysroot },
		{ "verbose", .flag = &command->is_verbose },
		{ NULL },
	};
	const struct ep_options options = {
		.command = "evreport",
		.usage = "usage: evreport [OPTIONS] [TRACE...]\n\n",
		.print_more = print_more,
		.hint = "evreport --help lists the options\n",
		.rows = rows,
	};
	int status = ep_options_read(&options, argc, argv);
	const char *contradiction;

	if (status != EP_OPTIONS_READ)
		return status;
	contradiction = find_contradiction(command);
	if (contradiction)
		return ep_options_refuse(&options, contradiction);
	if (optind < argc)
		command->paths = (const char *const *)(argv + optind);
	if (command->html) {
		command->view = &page_view;
		command->output = command->html;
	}
	command->view = command->view ? command->view : &ep_report_view_text;
	if (command->top == TOP_NOT_SAID)
		command->top = default_top(command->view);
	return EP_OPTIONS_READ;
}

static uint32_t n_bins_for(const struct report_request *command, const struct ep_trace *trace)
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

/* Phases are of whole runs, and one table has no place for them; JSON has all. */
static bool shows_phases(const struct report_request *command)
{
	bool is_json = command->view == &ep_report_view_json,
	     is_csv = command->view == &ep_report_view_csv;

	return command->view == &page_view ||
	       (!command->selection.text[0] && !is_csv &&
		       (is_json || command->view_options.by == EP_BY_ALL));
}

static int load(struct report_request *command, struct ep_namer *namer, struct ep_trace **out_trace,
	struct ep_error *err)
{
	struct ep_load_options options = {
		.filler = command->filler,
		.filler_is_asked = !command->choice.filler,
		.context = &command->selection,
		.progress = show_reading,
		.n_threads = command->n_threads,
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
		options.see_time = ep_time_log_see;
		options.seer = &command->times;
		command->times.counts = &command->counts;
		options.times_are_optional = true;
	}
	if (!rc)
		rc = ep_traces_load(command->paths, &options, out_trace, err);
	ep_progress_stop();
	return rc;
}

static bool shows_ratios(const struct report_request *command)
{
	enum ep_by by = command->view_options.by;

	return command->view == &page_view || (command->view == &ep_report_view_text &&
						      (by == EP_BY_ALL || by == EP_BY_PROCEDURES));
}

/* Text with a single table, and CSV, have no place for metrics. */
static int summarize(const struct report_request *command, struct ep_report *report,
	const struct ep_trace *trace)
{
	bool is_shown =
		command->view == &ep_report_view_json || command->view == &page_view ||
		(command->view == &ep_report_view_text && command->view_options.by == EP_BY_ALL);

	int rc = is_shown ? ep_report_summarize(report, trace) : 0;

	if (rc || !shows_ratios(command))
		return rc;
	return ep_ratios_summarize(report, ep_trace_cpuid(trace));
}

/* A part of a run has none that are numbered as the whole's: neither has a run of which some is sums. Callgrind's
 * costs have no times. */
static int add_phases(struct report_request *command, const struct ep_trace *trace,
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

/* Adds to the page what a report does not have: all metrics. */
static int write_page_of(
	FILE *out, const struct report_request *command, struct ep_page_source *source)
{
	struct ep_metric_tree metrics = { 0 };
	int rc = ep_metric_tree_build(&metrics, source->report, ep_trace_cpuid(source->trace));

	source->metrics = &metrics;
	source->phases = command->has_phases ? &command->phases : NULL;
	if (!rc)
		rc = ep_page_write(out, source);
	ep_metric_tree_finish(&metrics);
	return rc;
}

static int write_page(FILE *out, struct report_request *command, struct ep_trace *trace,
	struct ep_symbols *symbols, struct ep_report *report)
{
	struct ep_report_options options = { .top = DEFAULT_TOP,
		.n_bins = ep_view_text_bins(EP_PAGE_TEXT_COLUMNS, ep_trace_lacked_cpus(trace)),
		.brief = true,
		.trace_paths = command->paths,
		.filler = command->filler };
	/* The text on the page has its most important rows. */
	struct ep_report *brief = ep_report_create(trace, symbols, &options);
	struct ep_page_source source = { .trace = trace,
		.symbols = symbols,
		.report = report,
		.brief = brief,
		.times = &command->times,
		.sysroot = command->sysroot,
		.no_source = command->no_source,
		.has_loops = command->has_loops };
	int rc = brief ? summarize(command, brief, trace) : -ENOMEM;

	if (!rc && command->has_phases)
		rc = ep_phases_in_short(brief, &command->phases);
	if (!rc)
		rc = write_page_of(out, command, &source);
	ep_report_destroy(brief);
	return rc;
}

static int write_report(struct report_request *command, struct ep_trace *trace,
	struct ep_symbols *symbols, struct ep_report *report, struct ep_error *err)
{
	FILE *out;
	int rc = ep_output_open(command->output, &out, err), closed;

	if (rc)
		return rc;
	if (!command->output)
		ep_pager_start();
	rc = command->view == &page_view
		     ? write_page(out, command, trace, symbols, report)
		     : command->view->print(out, report, &command->view_options);
	closed = ep_output_close(out, command->output, err);
	return rc ? ep_fail(err, -ENOMEM, "out of memory") : closed;
}

static int report_trace(struct report_request *command, struct ep_trace *trace,
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
	};
	struct ep_symbols *symbols = ep_namer_symbols(namer, trace);
	struct ep_report *report;
	int rc = -ENOMEM;

	ep_progress_start("finding names");
	report = symbols ? ep_report_create(trace, symbols, &options) : NULL;
	ep_progress_stop();
	if (report)
		rc = summarize(command, report, trace);
	if (report && !rc)
		rc = add_phases(command, trace, symbols, report);
	if (report && !rc)
		rc = ep_siblings_note(command->paths, report);
	if (report && !rc && command->is_verbose)
		ep_decisions_print(stderr, trace, symbols, report,
			command->choice.filler ? command->choice.why : "as asked for");
	if (rc)
		ep_fail(err, rc, "out of memory");
	else
		rc = write_report(command, trace, symbols, report, err);
	ep_report_destroy(report);
	return rc;
}

/* The page shows loops where there are any; --by loop fails without them. */
static int choose_loops(struct report_request *command, struct ep_error *err)
{
	struct ep_error ignored;
	bool is_page = command->view == &page_view,
	     is_asked = command->view_options.by == EP_BY_LOOPS;
	int rc = is_asked || is_page ? ep_loops_check(is_asked ? err : &ignored) : 0;

	command->has_loops = !rc && (is_asked || is_page);
	return is_asked ? rc : 0;
}

static int check_loops(
	struct report_request *command, const struct ep_trace *trace, struct ep_error *err)
{
	struct ep_error ignored;
	bool is_asked = command->view_options.by == EP_BY_LOOPS;
	int rc = command->has_loops ? ep_loops_of_trace_check(trace, is_asked ? err : &ignored) : 0;

	command->has_loops &= !rc;
	return is_asked ? rc : 0;
}

int ep_cmd_report(int argc, char **argv)
{
	struct report_request command = {
		.paths = ep_default_traces(),
		.top = TOP_NOT_SAID,
		.times = { .most = EP_PHASE_LOG_MOST },
		.counts = { .most = EP_PHASE_LOG_MOST },
		.selection = { .to_s = INFINITY },
	};
	struct ep_namer namer = { 0 };
	struct ep_trace *trace = NULL;
	struct ep_error err;
	int status = parse_options(&command, argc, argv), rc;

	if (status != EP_OPTIONS_READ)
		return status;
	setlocale(LC_CTYPE, "");
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
