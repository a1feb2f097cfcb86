// SPDX-License-Identifier: BSD-3-Clause
/* evreport compare [OPTIONS] [BEFORE [AFTER]]: two runs, and where their times differ. */
#include "reporter/compare/cmd_compare.h"

#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/compare/compare.h"
#include "reporter/report/command/cmd_report.h"
#include "reporter/report/command/opened.h"
#include "reporter/report/fill_fit.h"
#include "reporter/report/view/terminal.h"

static const char usage[] =
	"usage: evreport compare [OPTIONS] [BEFORE [AFTER]]\n"
	"       evreport compare [OPTIONS] BEFORE... -- AFTER...\n"
	"\n"
	"Which procedures take more time in the run AFTER than in the run BEFORE, and which less.\n"
	"AFTER is trace.gz where none is given, BEFORE trace.gz.old: what the run before left.\n"
	"Runs of several traces each (of MPI's ranks) have -- between them.\n"
	"\n"
	"  -b, --by WHAT          procedure (default), line or module\n"
	"  -n, --top N            rows, 0 for all (20)\n"
	"  -f, --format FORMAT    text (default) or json\n"
	"  -s, --sysroot DIR      find programs and libraries below DIR\n";

struct request {
	const char **before, **after; /* NULL behind the last */
	const char *sysroot;
	struct ep_compare_page page;
	bool has_top;
	int (*print)(const struct ep_compare_page *page, FILE *out);
};

/* ---- arguments ---- */

static int fail_usage(const char *message)
{
	fprintf(stderr, "evreport compare: %s\nevreport compare --help tells more\n", message);
	return 2;
}

static int take_by(struct request *q, const char *value)
{
	static const struct {
		const char *name;
		enum ep_by by;
	} rows[] = {
		{ "procedure", EP_BY_PROCEDURES },
		{ "line", EP_BY_LINES },
		{ "module", EP_BY_MODULES },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		if (strcmp(rows[i].name, value))
			continue;
		q->page.options.by = rows[i].by;
		return 0;
	}
	return fail_usage("--by is procedure, line or module");
}

static int take_top(struct request *q, const char *value)
{
	char *end;
	unsigned long top = strtoul(value, &end, 10);

	if (end == value || *end || *value == '-' || top > UINT32_MAX)
		return fail_usage("--top is a number of rows, 0 for all");
	q->page.top = (uint32_t)top;
	q->has_top = true;
	return 0;
}

static int take_format(struct request *q, const char *value)
{
	q->print = !strcmp(value, "text")   ? ep_compare_print_text
		   : !strcmp(value, "json") ? ep_compare_print_json
					    : NULL;
	return q->print ? 0 : fail_usage("--format is text or json");
}

static int take_option(struct request *q, int letter)
{
	switch (letter) {
	case 'b':
		return take_by(q, optarg);
	case 'n':
		return take_top(q, optarg);
	case 'f':
		return take_format(q, optarg);
	case 's':
		q->sysroot = optarg;
		return 0;
	default: /* getopt has said which */
		fputs("evreport compare --help tells more\n", stderr);
		return 2;
	}
}

/* Behind the first --; getopt puts it before all names. */
static int count_after_dashes(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return argc - 1 - i;
	return -1;
}

static const char **take_names(char **names, int n)
{
	const char **out = calloc((size_t)n + 1, sizeof(*out));

	for (int i = 0; out && i < n; i++)
		out[i] = names[i];
	return out;
}

static int take_paths(struct request *q, char **names, int n, int n_after)
{
	static char *fallback_before[] = { (char *)(EP_DEFAULT_TRACE ".old") },
		    *fallback_after[] = { (char *)EP_DEFAULT_TRACE };
	bool has_both = n_after >= 0 || n == 2;

	if (n_after < 0 && n > 2)
		return fail_usage(
			"of more than two traces, -- tells where those of the second run begin");
	if (!n && access(EP_DEFAULT_TRACE ".old", F_OK))
		return fail_usage(
			"no " EP_DEFAULT_TRACE ".old of an earlier run is here: name two traces");
	if (n_after < 0)
		n_after = n == 2;
	if (has_both && (!n_after || n == n_after))
		return fail_usage("there are traces on one side of -- only");
	q->before = n ? take_names(names, n - n_after) : take_names(fallback_before, 1);
	q->after =
		has_both ? take_names(names + n - n_after, n_after) : take_names(fallback_after, 1);
	return 0;
}

static int parse_arguments(struct request *q, int argc, char **argv, bool *out_done)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "by", required_argument, NULL, 'b' },
		{ "top", required_argument, NULL, 'n' },
		{ "format", required_argument, NULL, 'f' },
		{ "sysroot", required_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 },
	};
	int n_after = count_after_dashes(argc, argv), letter, rc = 0;

	optind = 1;
	while (!rc && (letter = getopt_long(argc, argv, "hb:n:f:s:", options, NULL)) != -1) {
		if (letter == 'h') {
			fputs(usage, stdout);
			*out_done = true;
			return 0;
		}
		rc = take_option(q, letter);
	}
	return rc ? rc : take_paths(q, argv + optind, argc - optind, n_after);
}

/* ---- work ---- */

static int open_run(const char *const *paths, const char *sysroot, struct ep_opened_report *out,
	struct ep_error *err)
{
	struct ep_report_options options = {
		.n_bins = 1, .trace_paths = paths, .filler = ep_filler_default(paths)
	};

	return ep_opened_report_create(&options, sysroot, out, err);
}

static const struct ep_report_table *table_of(const struct ep_report *report, enum ep_by by)
{
	switch (by) {
	case EP_BY_LINES:
		return &report->lines;
	case EP_BY_MODULES:
		return &report->modules;
	default:
		return &report->procedures;
	}
}

static int compare_runs(struct request *q, struct ep_error *err)
{
	__attribute__((cleanup(ep_opened_report_finish))) struct ep_opened_report before = { 0 };
	__attribute__((cleanup(ep_opened_report_finish))) struct ep_opened_report after = { 0 };
	__attribute__((cleanup(ep_comparison_finish))) struct ep_comparison comparison = { 0 };
	enum ep_by by = q->page.options.by;
	int rc = open_run((const char *const *)q->before, q->sysroot, &before, err);

	if (!rc)
		rc = open_run((const char *const *)q->after, q->sysroot, &after, err);
	if (rc)
		return rc;
	rc = ep_compare(before.report, table_of(before.report, by), after.report,
		table_of(after.report, by), &comparison);
	q->page.comparison = &comparison;
	ep_terminal_look(&q->page.options, true);
	if (!rc)
		rc = q->print(&q->page, stdout);
	return rc ? ep_fail(err, rc, "out of memory") : 0;
}

int ep_cmd_compare(int argc, char **argv)
{
	struct request q = {
		.page = { .options = { .by = EP_BY_PROCEDURES }, .top = 20 },
		.print = ep_compare_print_text,
	};
	struct ep_error err;
	bool done = false;
	int status = parse_arguments(&q, argc, argv, &done), rc = 0;

	if (!status && !done) {
		setlocale(LC_CTYPE, "");
		if (q.print == ep_compare_print_json && !q.has_top)
			q.page.top = 0;
		rc = q.before && q.after ? compare_runs(&q, &err)
					 : ep_fail(&err, -ENOMEM, "out of memory");
		if (rc)
			ep_error_print(&err, "evreport compare");
	}
	free(q.before);
	free(q.after);
	return status ? status : rc ? 1 : 0;
}
