// SPDX-License-Identifier: BSD-3-Clause
/* evreport roofline [OPTIONS] [TRACE...]: loads traces, places them below the roofs, and prints the roofline. */
#include "reporter/command/cmd_roofline.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/options.h"
#include "reporter/command/cmd_report.h"
#include "reporter/command/opened.h"
#include "reporter/command/pager.h"
#include "reporter/command/phase_load.h"
#include "reporter/roofline/roofline_view.h"
#include "reporter/roofline/survey.h"
#include "reporter/view/terminal.h"

static const char usage[] =
	"usage: evreport roofline [OPTIONS] [TRACE...]\n"
	"\n"
	"Floating-point operations per second over operations for each byte of memory traffic, of the\n"
	"run, its phases and its procedures; which roof of the machine is above each, and how far below it\n"
	"it is. TRACE is of 'evprof run -m flops,memory' where there is a PMU, or --source valgrind.\n"
	"\n"
	"      --roofs FILE     the machine's roofs, as evcal roofs -o FOLDER writes them (default: the\n"
	"                       trace's CPU's in ~/.local/share/evprof/formulas)\n"
	"      --time TRACE     a run outside of valgrind that the times of procedures are taken from\n"
	"  -b, --by WHAT        procedure (default) or loop\n"
	"  -n, --top N          procedures or loops, 0 for all (10)\n"
	"  -e, --estimator NAME fills what was not measured\n"
	"  -f, --format FORMAT  text (default), json or csv\n"
	"  -s, --sysroot DIR    find programs and libraries below DIR\n"
	"      --color WHEN     auto (on a terminal, the default), always or never\n";

enum format { TEXT, JSON, CSV };

struct roofline_command {
	const char *const *paths;
	const char *roofs_path, *time_path, *sysroot;
	bool by_loop;
	uint32_t top;
	enum format format;
	enum ep_colour colour;
	const struct ep_filler_ops *filler;
	struct ep_error err;
};

static int take_format(void *into, const char *value)
{
	static const char *const names[] = { "text", "json", "csv" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(names); i++)
		if (!strcmp(value, names[i])) {
			*(enum format *)into = (enum format)i;
			return 0;
		}
	return -EINVAL;
}

static int take_by(void *into, const char *value)
{
	bool *by_loop = into;

	*by_loop = !strcmp(value, "loop");
	return *by_loop || !strcmp(value, "procedure") ? 0 : -EINVAL;
}

/* Reads the arguments. Returns EP_OPTIONS_READ, or the exit status. */
static int parse_arguments(struct roofline_command *q, int argc, char **argv)
{
	const struct ep_option rows[] = {
		{ "roofs", .text = &q->roofs_path },
		{ "time", .text = &q->time_path },
		{ "by", 'b', .take = take_by, .into = &q->by_loop,
			.expected = "procedure or loop" },
		{ "top", 'n', .count = &q->top, .most = UINT32_MAX,
			.expected = "a number of rows, or 0 for all" },
		{ "estimator", 'e', .take = ep_filler_take, .into = &q->filler,
			.expected = EP_FILLER_EXPECTED },
		{ "format", 'f', .take = take_format, .into = &q->format,
			.expected = "text, json or csv" },
		{ "sysroot", 's', .text = &q->sysroot },
		{ "color", .take = ep_colour_take, .into = &q->colour,
			.expected = EP_COLOUR_EXPECTED },
		{ NULL },
	};
	const struct ep_options options = {
		.command = "evreport roofline", .usage = usage, .rows = rows
	};
	int status = ep_options_read(&options, argc, argv);

	if (status != EP_OPTIONS_READ)
		return status;
	if (q->time_path && q->by_loop)
		return ep_options_refuse(&options, "--time pairs procedures: without --by loop");
	if (optind < argc)
		q->paths = (const char *const *)(argv + optind);
	return EP_OPTIONS_READ;
}

static int no_points(struct roofline_command *q, const struct ep_roofline *roofline)
{
	if (roofline->lacks)
		return ep_fail(&q->err, -ENODATA,
			"the trace does not say how much was computed: %s was not counted. Where there is a PMU 'evprof run -m flops,memory -- PROGRAM' counts it; 'evprof run --source valgrind -- PROGRAM' does on every x86-64 machine",
			roofline->lacks);
	return ep_fail(&q->err, -ENODATA, "the program computed nothing in floating point");
}

static int print(struct roofline_command *q, const struct ep_roofline *roofline)
{
	struct ep_view_options look = { 0 };

	ep_terminal_look(&look, true, q->colour);
	ep_pager_start();
	const struct ep_layout layout = { stdout, look.width, look.utf8, look.colour };

	if (q->format == JSON)
		return ep_roofline_print_json(roofline, q->paths[0], stdout);
	if (q->format == CSV)
		ep_roofline_print_csv(roofline, stdout);
	else
		ep_roofline_print_text(roofline, q->paths[0], &layout);
	return 0;
}

static int survey_and_print(struct roofline_command *q, const struct ep_roofline_request *request)
{
	__attribute__((cleanup(ep_roofline_finish))) struct ep_roofline roofline = { 0 };
	int rc = ep_roofline_create(request, &roofline, &q->err);

	if (rc)
		return rc;
	if (!roofline.n_points)
		return no_points(q, &roofline);
	rc = print(q, &roofline);
	return rc ? ep_fail(&q->err, rc, "out of memory") : 0;
}

static int open_report(struct roofline_command *q, const char *const *paths, bool by_loop,
	struct ep_opened_report *out)
{
	const struct ep_report_options options = {
		.n_bins = EP_TIMELINE_BINS,
		.loops = by_loop,
		.trace_paths = paths,
		.filler = q->filler,
	};

	return ep_opened_report_create(&options, q->sysroot, out, &q->err);
}

static int open_and_survey(struct roofline_command *q)
{
	__attribute__((cleanup(ep_opened_report_finish))) struct ep_opened_report opened = { 0 };
	__attribute__((cleanup(ep_opened_report_finish))) struct ep_opened_report times = { 0 };
	__attribute__((cleanup(ep_loaded_phases_finish))) struct ep_loaded_phases phases = { 0 };
	const char *const time_paths[] = { q->time_path, NULL };
	const struct ep_phase_question question = { q->paths, q->sysroot, NULL };
	int rc = open_report(q, q->paths, q->by_loop, &opened);

	if (!rc && q->time_path)
		rc = open_report(q, time_paths, false, &times);
	if (!rc && !opened.report->is_simulated)
		rc = ep_loaded_phases_create(&question, &phases, &q->err);
	if (rc)
		return rc;
	const struct ep_roofline_request request = {
		.report = opened.report,
		.trace = opened.trace,
		.roofs_path = q->roofs_path,
		.top = q->top,
		.by_loop = q->by_loop,
		.phases = opened.report->is_simulated ? NULL : &phases.phases,
		.times = times.report,
		.times_path = q->time_path,
	};
	return survey_and_print(q, &request);
}

int ep_cmd_roofline(int argc, char **argv)
{
	struct roofline_command q = { .paths = ep_default_traces(), .top = 10 };
	int status = parse_arguments(&q, argc, argv), rc;

	if (status != EP_OPTIONS_READ)
		return status;
	rc = open_and_survey(&q);
	if (rc)
		ep_error_print(&q.err, "evreport roofline");
	return rc ? 1 : 0;
}
