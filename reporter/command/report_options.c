// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/command/report_options.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/options.h"
#include "reporter/command/cmd_report.h"
#include "reporter/command/opened.h"
#include "reporter/page/page.h"

const struct ep_report_view ep_report_view_page = { .name = "html" };

static const struct ep_report_view *const views[] = { &ep_report_view_text, &ep_report_view_json,
	&ep_report_view_csv, &ep_report_view_page };

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
	{ "region", EP_BY_REGIONS },
};

static const char option_lines[] =
	"  -b, --by WHAT               one table: procedure, loop (and the call tree), line, module,\n"
	"                              language, thread, process, rank, host, wait or region\n"
	"  -n, --top N                 rows of each table, 0 for all (20)\n"
	"  -c, --callers               who called each procedure\n"
	"      --calls WHICH           calls in JSON: large (default) or all\n"
	"      --parts LIST            keys of JSON (procedures,timeline), short (the default with --top) or all\n"
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
	if (view == &ep_report_view_page)
		return EP_PAGE_TOP;
	return view == &ep_report_view_text ? EP_REPORT_DEFAULT_TOP : 0;
}

/* Returns NULL, or which options do not go together. */
static const char *find_contradiction(const struct ep_report_request *request)
{
	bool is_json = request->view == &ep_report_view_json,
	     is_page = request->html || request->view == &ep_report_view_page;
	enum ep_by by = request->view_options.by;

	if (is_page && !EP_HAS_PAGE)
		return EP_PAGE_NOT_BUILT;
	if (request->html && request->output)
		return "--html FILE names the page's file: leave -o out";
	if (request->html && request->view && request->view != &ep_report_view_page)
		return "--html FILE writes a page: leave --format out";
	if (request->no_source && !is_page)
		return "--no-source is for a page: --html FILE";
	if (request->all_calls && (request->html || !is_json))
		return "--calls all needs --format json: the text has large calls only";
	if (request->view_options.parts && !is_json)
		return "--parts needs --format json: text and CSV have --by";
	if (request->view == &ep_report_view_csv && request->view_options.callers)
		return "--callers works with text and JSON only: CSV has one row for each procedure";
	if (is_json && by && by != EP_BY_LOOPS && by != EP_BY_LANGUAGES)
		return "--by chooses a table of text and CSV: JSON has all tables (--by loop and --by language add theirs)";
	if (is_page && by)
		return "--by chooses a table of text and CSV: a page has all tables";
	return NULL;
}

/* Chooses the parts of JSON if --parts is not given: all parts, or, if --top leaves rows out, the short parts. To short
 * parts, and to those of --parts, the parts are added that other options ask for. */
static void choose_parts(struct ep_report_request *request)
{
	struct ep_view_options *view = &request->view_options;
	const char *more = view->by == EP_BY_LOOPS       ? "loops"
			   : view->by == EP_BY_LANGUAGES ? "languages"
							 : NULL;
	int rc = 0;

	if (!view->parts && (!request->top || request->top == EP_TOP_NOT_SAID))
		return;
	if (!view->parts)
		rc = ep_json_parts_take(&view->parts, "short");
	if (more && !rc)
		rc = ep_json_parts_take(&view->parts, more);
	if (request->all_calls && !rc)
		rc = ep_json_parts_take(&view->parts, "calls");
	assert(!rc);
}

int ep_report_options_parse(struct ep_report_request *request, int argc, char **argv)
{
	static const char seconds[] = "seconds since the run began";
	const struct ep_option rows[] = {
		{ "by", 'b', .take = take_by, .into = &request->view_options.by,
			.expected =
				"procedure, loop, line, module, language, thread, process, rank, host, wait or region" },
		{ "top", 'n', .count = &request->top, .most = EP_TOP_NOT_SAID - 1,
			.expected = "a number of rows, or 0 for all" },
		{ "callers", 'c', .flag = &request->view_options.callers },
		{ "calls", .take = take_calls, .into = &request->all_calls,
			.expected = "large or all" },
		{ "parts", .take = ep_json_parts_take, .into = &request->view_options.parts,
			.expected = EP_JSON_PARTS_EXPECTED },
		{ "process", 'p', .text = &request->selection.process },
		{ "thread", 't', .text = &request->selection.thread },
		{ "region", .text = &request->selection.region },
		{ "phase", .count = &request->selection.phase, .least = 1, .most = UINT32_MAX,
			.expected = EP_PHASE_EXPECTED },
		{ "from", .number = &request->selection.from_s, .most = INFINITY,
			.expected = seconds },
		{ "to", .number = &request->selection.to_s, .most = INFINITY, .expected = seconds },
		{ "format", 'f', .take = take_format, .into = &request->view,
			.expected = "text, json, csv or html" },
		{ "html", .text = &request->html },
		{ "no-source", .flag = &request->no_source },
		{ "output", 'o', .text = &request->output },
		{ "estimator", 'e', .take = ep_filler_take, .into = &request->filler,
			.expected = EP_FILLER_EXPECTED },
		{ "threads", .count = &request->n_threads, .least = 1, .most = EP_THREADS_MOST,
			.expected = EP_THREADS_EXPECTED },
		{ "color", .take = ep_colour_take, .into = &request->colour,
			.expected = EP_COLOUR_EXPECTED },
		{ "sysroot", 's', .text = &request->sysroot },
		{ "verbose", .flag = &request->is_verbose },
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
	contradiction = find_contradiction(request);
	if (contradiction)
		return ep_options_refuse(&options, contradiction);
	if (request->view == &ep_report_view_json)
		choose_parts(request);
	if (optind < argc)
		request->paths = (const char *const *)(argv + optind);
	if (request->html) {
		request->view = &ep_report_view_page;
		request->output = request->html;
	}
	request->view = request->view ? request->view : &ep_report_view_text;
	if (request->top == EP_TOP_NOT_SAID)
		request->top = default_top(request->view);
	return EP_OPTIONS_READ;
}
