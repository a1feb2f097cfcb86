// SPDX-License-Identifier: BSD-3-Clause
/* evreport export --format FORMAT [-o FILE] [TRACE...]: loads traces, names their places, and writes them in the
 * format. */
#include "reporter/command/cmd_export.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/options.h"
#include "reporter/command/cmd_report.h"
#include "reporter/command/opened.h"
#include "reporter/command/progress.h"
#include "reporter/command/select.h"
#include "reporter/export/export.h"
#include "reporter/fill/fill_choose.h"
#include "reporter/loops/loops.h"
#include "reporter/run/run.h"
#include "reporter/sql/sql.h"
#include "reporter/symbolize/namer.h"

static const char usage[] =
	"usage: evreport export --format FORMAT [-o FILE] [OPTIONS] [TRACE...]\n"
	"\n"
	"Writes the whole call tree, nothing left out, for the viewers of other tools.\n"
	"\n"
	"  -f, --format FORMAT         folded: a line per stack, for flame graphs\n"
	"                              pprof: go tool pprof, Pyroscope, Parca, Perfetto, speedscope\n"
	"                              firefox: profiler.firefox.com, threads and events on time\n"
	"                              perfetto: ui.perfetto.dev, stacks and counters on time\n"
	"                              speedscope: speedscope.app, a profile for each value\n"
	"                              callgrind: KCachegrind, callgrind_annotate\n"
	"                              sqlite: a database to be asked with SQL, slices and all\n"
	"  -o, --output FILE           write there instead of standard output\n"
	"  -v, --value NAME            what folded counts: cpu (in microseconds, the default),\n"
	"                              samples, latency, waits (both in nanoseconds), an event,\n"
	"                              EVENT_measured or EVENT_stderr\n"
	"  -p, --process PID|PROGRAM   only these processes; rank:N is one of MPI's\n"
	"  -t, --thread TID|NAME       only these threads\n"
	"      --region NAME           only what ran in a region that the program has named\n"
	"      --phase N               only this phase of those that evreport phases shows\n"
	"      --from SECONDS          only what ran from then on\n"
	"      --to SECONDS            only what ran until then\n"
	"  -e, --estimator NAME        fills events not measured in a slice: auto, path, hold, ... (default:\n"
	"                              auto up to 10,000 slices, path up to 2 million, then hold)\n"
	"      --threads N             threads that read the traces (2 where there are CPUs for it)\n"
	"  -s, --sysroot DIR           find programs and libraries below DIR\n";

#define FORMATS "folded, pprof, firefox, perfetto, speedscope, callgrind or sqlite"
#define MOST_TIMES 1000000 /* most samples of a timeline; with more, viewers get slow */

struct export_request {
	const char *const *paths; /* traces; NULL follows the last */
	const char *output, *sysroot, *value;
	const struct ep_export_format *format;
	const struct ep_filler_ops *filler;
	bool filler_is_asked;
	struct ep_selection selection;
	struct ep_time_log times;
	struct ep_count_log counts;
	struct ep_sql *sql; /* the writer, if the format is a database; else NULL */
	uint32_t n_threads;
};

/* The namer of struct ep_load_options. ep_namer_name_places() uses it as a struct ep_namer, which therefore is its
 * first member. */
struct export_namer {
	struct ep_namer namer;
	struct ep_sql *sql;
};

static int take_format(void *into, const char *name)
{
	const struct ep_export_format **format = into;

	*format = ep_export_format_find(name);
	return *format ? 0 : -EINVAL;
}

/* Returns which options do not go together; NULL: all do. */
static const char *find_contradiction(const struct export_request *request)
{
	if (!request->format)
		return "which format? --format says it: " FORMATS;
	if (request->value && !request->format->has_value)
		return "--value needs a format that shows one value: folded";
	if (request->format->is_database && (!request->output || !strcmp(request->output, "-")))
		return "a database is a file: name it with -o";
	if (request->format->is_binary && !request->output && isatty(STDOUT_FILENO))
		return "this format is not for a terminal: name a file with -o";
	return NULL;
}

/* Reads the arguments. Returns EP_OPTIONS_READ, or the exit status. */
static int parse_options(struct export_request *request, int argc, char **argv)
{
	static const char seconds[] = "seconds since the run began";
	const struct ep_option rows[] = {
		{ "format", 'f', .take = take_format, .into = &request->format,
			.expected = FORMATS },
		{ "output", 'o', .text = &request->output },
		{ "value", 'v', .text = &request->value },
		{ "process", 'p', .text = &request->selection.process },
		{ "thread", 't', .text = &request->selection.thread },
		{ "region", .text = &request->selection.region },
		{ "phase", .count = &request->selection.phase, .least = 1, .most = UINT32_MAX,
			.expected = EP_PHASE_EXPECTED },
		{ "from", .number = &request->selection.from_s, .most = INFINITY,
			.expected = seconds },
		{ "to", .number = &request->selection.to_s, .most = INFINITY, .expected = seconds },
		{ "estimator", 'e', .take = ep_filler_take, .into = &request->filler,
			.expected = EP_FILLER_EXPECTED },
		{ "threads", .count = &request->n_threads, .least = 1, .most = EP_THREADS_MOST,
			.expected = EP_THREADS_EXPECTED },
		{ "sysroot", 's', .text = &request->sysroot },
		{ NULL },
	};
	const struct ep_options options = { .command = "evreport export",
		.usage = usage,
		.hint = "evreport export --help lists the options\n",
		.rows = rows };
	int status = ep_options_read(&options, argc, argv);
	const char *contradiction;

	if (status != EP_OPTIONS_READ)
		return status;
	if (optind < argc)
		request->paths = (const char *const *)(argv + optind);
	contradiction = find_contradiction(request);
	return contradiction ? ep_options_refuse(&options, contradiction) : EP_OPTIONS_READ;
}

static bool wants(void *context, const struct ep_trace *trace, uint32_t thread_idx)
{
	return ep_selection_wants(context, thread_idx);
}

static void show_reading(void *context, uint64_t done_bytes, uint64_t size_bytes)
{
	ep_progress_show(done_bytes, size_bytes);
}

/* Forgets what was read. Called before the loader reads a trace again, which it does if valgrind simulated the run or
 * if code of the program was replaced at run time. */
static void forget(void *context)
{
	struct export_namer *namer = context;

	ep_namer_forget(&namer->namer);
	if (namer->sql)
		ep_sql_forget(namer->sql);
}

static int load(struct export_request *request, struct export_namer *namer,
	struct ep_trace **out_trace, struct ep_error *err)
{
	struct ep_load_options options = {
		.filler = request->filler,
		.filler_is_asked = request->filler_is_asked,
		.context = &request->selection,
		.progress = show_reading,
		.n_threads = request->n_threads,
		.by_thread = request->format->by_thread,
		.name_places = ep_namer_name_places,
		.forget_names = forget,
		.namer = namer,
		.needs_instructions = namer->namer.names_loops,
	};
	int rc;

	if (request->format->has_times) {
		options.see_times = ep_time_log_see;
		options.forget_seen = ep_time_log_forget;
		options.seer = &request->times;
		options.process_timelines = true;
		if (request->format->has_counts)
			request->times.counts = &request->counts;
	}
	if (request->sql) {
		options.see_times = ep_sql_see;
		options.seer = request->sql;
	}
	ep_progress_start("reading the trace");
	rc = ep_selection_find(&request->selection, request->paths, &options, err);
	if (request->selection.wanted)
		options.wants = wants;
	options.from_ns = request->selection.from_ns;
	options.to_ns = request->selection.to_ns;
	options.region = request->selection.region;
	if (!rc)
		rc = ep_traces_load(request->paths, &options, out_trace, err);
	ep_progress_stop();
	if (rc && request->sql && ep_sql_error(request->sql))
		*err = *ep_sql_error(request->sql);
	return rc;
}

static int write_export(
	const struct export_request *request, const struct ep_export *export, struct ep_error *err)
{
	struct ep_error at_end;
	FILE *out;
	int rc = ep_output_open(request->output, &out, err), closed;

	if (rc)
		return rc;
	rc = request->format->write(out, export, err);
	closed = ep_output_close(out, request->output, &at_end);
	if (!rc && closed)
		*err = at_end;
	return rc ? rc : closed;
}

static int export_trace(struct export_request *request, struct ep_trace *trace,
	struct ep_namer *namer, struct ep_error *err)
{
	struct ep_report_options options = { .trace_paths = request->paths,
		.filler = request->filler,
		.selection = request->selection.text[0] ? request->selection.text : NULL };
	struct ep_export export = { .trace = trace,
		.symbols = ep_namer_symbols(namer, trace),
		.times = request->format->has_times ? &request->times : NULL,
		.value = request->value };
	int rc;

	if (trace->exact)
		return ep_fail(err, -ENODATA,
			"callgrind counted this run, which keeps no call paths: evreport dump --callgrind FOLDER writes its files, for KCachegrind");
	if (export.symbols)
		export.report = ep_report_create(trace, export.symbols, &options);
	if (!export.report)
		return ep_fail(err, -ENOMEM, "out of memory");
	rc = write_export(request, &export, err);
	ep_report_destroy(export.report);
	return rc;
}

/* Tells whether a database can have loops: this evreport can find loops, and costs of callgrind's, if the trace has
 * any, are by instruction. */
static bool has_loops(const struct ep_namer *namer, const struct ep_trace *trace)
{
	struct ep_error ignored;

	return namer->names_loops && !ep_loops_of_trace_check(trace, &ignored);
}

static int export_database(struct export_request *request, struct ep_trace *trace,
	struct ep_namer *namer, struct ep_error *err)
{
	struct ep_report_options options = { .trace_paths = request->paths,
		.filler = request->filler,
		.n_bins = EP_REPORT_DATA_BINS,
		.callers = true,
		.loops = has_loops(namer, trace),
		.all_calls = true,
		.selection = request->selection.text[0] ? request->selection.text : NULL,
		.add = ep_report_summarize };
	struct ep_symbols *symbols = ep_namer_symbols(namer, trace);
	const struct ep_report *report =
		symbols ? ep_report_create(trace, symbols, &options) : NULL;
	struct ep_sql_source source = { trace, symbols, report };
	int rc;

	if (!report)
		rc = ep_fail(err, -ENOMEM, "out of memory");
	else
		rc = ep_sql_finish(request->sql, &source, err);
	ep_report_destroy(report);
	return rc;
}

int ep_cmd_export(int argc, char **argv)
{
	struct export_request request = {
		.paths = ep_default_traces(),
		.selection = { .to_s = INFINITY },
		.times = { .most = MOST_TIMES },
		.counts = { .most = MOST_TIMES },
	};
	struct export_namer namer = { 0 };
	struct ep_trace *trace = NULL;
	struct ep_error err, ignored;
	int status = parse_options(&request, argc, argv), rc = 0;

	if (status != EP_OPTIONS_READ)
		return status;
	request.filler_is_asked = request.filler;
	if (!request.filler)
		request.filler = ep_filler_default(request.paths).filler;
	namer.namer.names_loops = request.format->is_database && !ep_loops_check(&ignored);
	namer.namer.sysroot = request.selection.sysroot = request.sysroot;
	if (request.format->is_database)
		rc = ep_sql_create(request.output, &request.sql, &err);
	namer.sql = request.sql;
	if (!rc)
		rc = load(&request, &namer, &trace, &err);
	if (!rc)
		rc = (request.sql ? export_database : export_trace)(
			&request, trace, &namer.namer, &err);
	if (rc)
		ep_error_print(&err, "evreport export");
	ep_symbols_destroy(namer.namer.symbols);
	ep_trace_destroy(trace);
	ep_sql_destroy(request.sql);
	ep_selection_finish(&request.selection);
	ep_time_log_finish(&request.times);
	return rc ? 1 : 0;
}
