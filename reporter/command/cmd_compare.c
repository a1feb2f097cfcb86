// SPDX-License-Identifier: BSD-3-Clause
/* evreport compare [OPTIONS] [BEFORE [AFTER]]: compares two runs and shows where their times differ. */
#include "reporter/command/cmd_compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/options.h"
#include "reporter/command/cmd_report.h"
#include "reporter/command/lineup_command.h"
#include "reporter/command/opened.h"
#include "reporter/command/opened_runs.h"
#include "reporter/command/pager.h"
#include "reporter/command/select.h"
#include "reporter/command/sides.h"
#include "reporter/compare/compare.h"
#include "reporter/compare/counts.h"
#include "reporter/compare/gate.h"
#include "reporter/fill/fill_choose.h"
#include "reporter/page/compare_page.h"
#include "reporter/page/page.h"
#include "reporter/view/terminal.h"

static const char usage[] =
	"usage: evreport compare [OPTIONS] [BEFORE [AFTER]]\n"
	"       evreport compare [OPTIONS] BEFORE... -- AFTER...\n"
	"       evreport compare [OPTIONS] FIRST... -- SECOND... -- THIRD... [-- MORE...]\n"
	"\n"
	"Which procedures take more time in the run AFTER than in the run BEFORE, and which less, and which\n"
	"of the events and metrics that both counted explain it.\n"
	"AFTER is trace.gz where none is given (or trace.0.gz, ... of MPI's ranks), BEFORE the\n"
	"same with .old: what the run before left.\n"
	"Where a side has several traces, -- stands between the two. Traces of MPI's ranks are one run;\n"
	"of several runs a side the means are shown, and errors have how much the runs differ.\n"
	"Three and more, with -- between, are columns of a table, each held against the first: speed-up\n"
	"and, where they differ in ranks or threads, efficiency and where it is lost.\n"
	"\n"
	"  -b, --by WHAT          procedure (default), loop, line or module\n"
	"  -n, --top N            rows, 0 for all (20)\n"
	"  -a, --all              all that was counted in each row, not only what explains its change\n"
	"  -f, --format FORMAT    text (default) or json\n"
	"      --html FILE        write a page to look at: a flame graph of the change, and tables\n"
	"      --fail-above P     exit status 3 where something is surely slower by more than P %\n"
	"      --color WHEN       auto (on a terminal, the default), always or never\n"
	"      --region NAME      only what ran in a region that the program has named\n"
	"  -s, --sysroot DIR      find programs and libraries below DIR\n";

struct compare_request {
	const char **before, **after; /* traces of each side; NULL follows the last */
	char **older; /* memory of the names in before, if the user gave none; else NULL */
	const char *sysroot, *html;
	struct ep_selection selection; /* only its region is set */
	double limit; /* share of --fail-above, 0.03 for 3%; NAN: the option was not given */
	struct ep_compare_page page;
	/* request for three or more programs; its names are NULL if two are compared */
	struct ep_lineup_request series;
	enum ep_colour colour;
	/* NULL: --format was not given */
	int (*print)(const struct ep_compare_page *page, FILE *out);
};

static void request_finish(struct compare_request *q)
{
	for (char **path = q->older; path && *path; path++)
		free(*path);
	free(q->older);
	free(q->before);
	free(q->after);
}

/* ---- arguments ---- */

static int take_by(void *into, const char *value)
{
	static const struct {
		const char *name;
		enum ep_by by;
	} rows[] = {
		{ "procedure", EP_BY_PROCEDURES },
		{ "line", EP_BY_LINES },
		{ "module", EP_BY_MODULES },
		{ "loop", EP_BY_LOOPS },
	};
	enum ep_by *by = into;

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		if (strcmp(rows[i].name, value))
			continue;
		*by = rows[i].by;
		return 0;
	}
	return -EINVAL;
}

static int take_format(void *into, const char *value)
{
	struct compare_request *q = into;

	q->print = !strcmp(value, "text")   ? ep_compare_print_text
		   : !strcmp(value, "json") ? ep_compare_print_json
					    : NULL;
	return q->print ? 0 : -EINVAL;
}

#define MOST_PERCENT 10000

/* Takes the value of --fail-above, a number of per cent: "3%", "3 %" or "3". */
static int take_limit(void *into, const char *value)
{
	double *limit = into, percent;
	char *end;

	percent = strtod(value, &end);
	if (end == value || !(percent >= 0 && percent <= MOST_PERCENT))
		return -EINVAL;
	end += strspn(end, " ");
	if (strcmp(end, "") && strcmp(end, "%"))
		return -EINVAL;
	*limit = percent / 100;
	return 0;
}

static int count_names(const char *const *names)
{
	int n = 0;

	while (names && names[n])
		n++;
	return n;
}

/* Returns the files of the run before: their names are those in after with ".old" appended. Files that do not exist are
 * left out. */
static char **find_older(const char *const *after)
{
	int n = count_names(after), at = 0;
	char **out = calloc((size_t)n + 1, sizeof(*out));

	for (int i = 0; out && i < n; i++) {
		char *path;

		if (asprintf(&path, "%s.old", after[i]) < 0)
			continue;
		if (access(path, F_OK))
			free(path);
		else
			out[at++] = path;
	}
	return out;
}

/* Takes n names of traces, the last n_after of which followed "--" (-1: there was no "--"). Returns what is wrong with
 * the names, or NULL. */
static const char *take_paths(struct compare_request *q, char **names, int n, int n_after)
{
	bool has_both = n_after >= 0 || n == 2;

	if (n_after < 0 && n > 2)
		return "of more than two traces, -- tells where those of the second run begin";
	if (n_after < 0)
		n_after = n == 2;
	if (has_both && (!n_after || n == n_after))
		return "there are traces on one side of -- only";
	if (has_both)
		q->after = ep_sides_take_names((const char *const *)names + n - n_after, n_after);
	else
		q->after =
			ep_sides_take_names(ep_default_traces(), count_names(ep_default_traces()));
	if (!n) {
		q->older = find_older(q->after);
		names = q->older;
		n = count_names((const char *const *)names);
	}
	q->before = names ? ep_sides_take_names((const char *const *)names, n - n_after) : NULL;
	if (q->older && q->before && !q->before[0])
		return "nothing of an earlier run (" EP_DEFAULT_TRACE
		       ".old) is here: name two traces";
	return NULL;
}

static void take_series(struct compare_request *q, char **names, int n, int n_after)
{
	bool is_json = q->print == ep_compare_print_json;

	q->series = (struct ep_lineup_request){
		.names = names,
		.n_names = n,
		.n_after = n_after,
		.sysroot = q->sysroot,
		.selection = &q->selection,
		.page = { .options = q->page.options, .top = q->page.top },
		.print = is_json ? ep_lineup_print_json : ep_lineup_print_text,
	};
}

#define TOP_NOT_SAID UINT32_MAX

/* Reads the arguments. Returns EP_OPTIONS_READ, or the exit status. */
static int parse_arguments(struct compare_request *q, int argc, char **argv)
{
	const struct ep_option rows[] = {
		{ "by", 'b', .take = take_by, .into = &q->page.options.by,
			.expected = "procedure, loop, line or module" },
		{ "top", 'n', .count = &q->page.top, .most = TOP_NOT_SAID - 1,
			.expected = "a number of rows, or 0 for all" },
		{ "all", 'a', .flag = &q->page.all_counts },
		{ "format", 'f', .take = take_format, .into = q, .expected = "text or json" },
		{ "html", .text = &q->html },
		{ "fail-above", .take = take_limit, .into = &q->limit,
			.expected = "per cent, as 3%" },
		{ "color", .take = ep_colour_take, .into = &q->colour,
			.expected = EP_COLOUR_EXPECTED },
		{ "region", .text = &q->selection.region },
		{ "sysroot", 's', .text = &q->sysroot },
		{ NULL },
	};
	const struct ep_options options = {
		.command = "evreport compare",
		.usage = usage,
		.hint = "evreport compare --help tells more\n",
		.rows = rows,
	};
	int n_after = ep_sides_count_after_dashes(argc, argv);
	int status = ep_options_read(&options, argc, argv);
	const char *refusal;

	if (status != EP_OPTIONS_READ)
		return status;
	if (q->html && !EP_HAS_PAGE)
		return ep_options_refuse(&options, EP_PAGE_NOT_BUILT);
	if (q->html && q->print)
		return ep_options_refuse(&options, "--html FILE writes a page: leave --format out");
	if (q->html && q->page.all_counts)
		return ep_options_refuse(&options,
			"--html and --all exclude each other: the page shows the counts that explain the change. Leave one of them out");
	q->print = q->print ? q->print : ep_compare_print_text;
	if (q->page.top == TOP_NOT_SAID)
		q->page.top = q->print == ep_compare_print_json ? 0 : 20;
	if (ep_lineup_is_wanted(argv + optind, argc - optind, n_after)) {
		take_series(q, argv + optind, argc - optind, n_after);
		if (q->html)
			return ep_options_refuse(
				&options, "--html compares two sides, but more are given");
		if (q->page.all_counts)
			return ep_options_refuse(
				&options, "--all compares two sides, but more are given");
		return isnan(q->limit)
			       ? EP_OPTIONS_READ
			       : ep_options_refuse(&options,
					 "--fail-above compares two sides, but more are given");
	}
	refusal = take_paths(q, argv + optind, argc - optind, n_after);
	return refusal ? ep_options_refuse(&options, refusal) : EP_OPTIONS_READ;
}

/* ---- work ---- */

#define EXIT_SLOWER 3

static int judge(const struct compare_request *q, const struct ep_comparison *comparison,
	const struct ep_compared_runs *before, const struct ep_compared_runs *after,
	struct ep_gate *out, struct ep_error *err)
{
	int rc;

	if (comparison->before->is_simulated != comparison->after->is_simulated)
		return ep_fail(err, -EINVAL,
			"--fail-above compares times, and valgrind simulated the runs of one side alone: record both sides in the same way");
	if (!ep_gate_can_judge(before, after))
		return ep_fail(err, -EINVAL,
			"--fail-above needs two runs a side or more (three are a good choice), as one does not tell how much runs differ; evreport compare --fail-above 3%% A1 A2 A3 -- B1 B2 B3");
	rc = ep_gate_judge(comparison, before, after, q->limit, out);
	return rc ? ep_fail(err, rc, "out of memory") : 0;
}

/* Chooses the estimator. Both sides get the same one, so that no difference between them comes from the estimator. */
static const struct ep_filler_ops *choose_filler(const struct compare_request *q)
{
	struct ep_traces_length length = { 0 };

	ep_traces_length_add(&length, (const char *const *)q->before);
	ep_traces_length_add(&length, (const char *const *)q->after);
	return ep_filler_choose(&length).filler;
}

static bool is_shown(const struct compare_request *q, uint32_t row_idx)
{
	return !q->page.top || row_idx < q->page.top;
}

/* Chooses for each row what is computed from its counts. They serve to explain a shown row that changed, and any row
 * that made --fail-above fail. With --all, all counts of the other shown rows are computed, too. */
static void wish(const struct compare_request *q, const struct ep_comparison *comparison,
	const struct ep_gate *gate, enum ep_count_wish *out_wishes)
{
	for (uint32_t i = 0; i < comparison->n_rows; i++)
		out_wishes[i] = !is_shown(q, i) ? EP_COUNT_NOTHING
				: ep_compare_asks_why(comparison, &comparison->rows[i])
					? EP_COUNT_EXPLAIN
				: q->page.all_counts ? EP_COUNT_ALL
						     : EP_COUNT_NOTHING;
	for (uint32_t i = 0; i < gate->n_items; i++)
		if (gate->items[i].has_failed && gate->items[i].row)
			out_wishes[gate->items[i].row - comparison->rows] = EP_COUNT_EXPLAIN;
}

static int count_places(const struct compare_request *q, const struct ep_comparison *comparison,
	const struct ep_opened_runs *before, const struct ep_opened_runs *after,
	struct ep_compared_counts *out)
{
	static const struct ep_gate none;
	EP_AUTOFREE enum ep_count_wish *wishes =
		calloc((size_t)comparison->n_rows + 1, sizeof(*wishes));
	const char *cpuid = ep_opened_runs_cpuid(before), *other = ep_opened_runs_cpuid(after);
	bool are_alike = cpuid && other && !strcmp(cpuid, other);
	const struct ep_count_question question = { comparison, &before->runs, &after->runs,
		are_alike ? cpuid : NULL, wishes };

	if (!wishes)
		return -ENOMEM;
	wish(q, comparison, q->page.gate ? q->page.gate : &none, wishes);
	return ep_compare_count(&question, out);
}

enum { N_PAGE_TABLES = 4 };

static void take_runs(struct ep_compared_trace *out, const struct ep_opened_runs *runs)
{
	for (uint32_t i = 0; i < runs->runs.n; i++)
		out[i] = (struct ep_compared_trace){ runs->opened[i].trace, runs->opened[i].symbols,
			runs->opened[i].report };
}

/* Tells whether all runs have a table of loops; runs inside valgrind may have none. */
static bool all_have_loops(const struct ep_opened_runs *runs)
{
	for (uint32_t i = 0; i < runs->runs.n; i++)
		if (!runs->runs.reports[i]->loops.n_rows)
			return false;
	return true;
}

/* Writes the tables of the page: procedures, lines, libraries, and loops if all runs have loops. The option --by has no
 * effect on the page. */
static int write_tables(FILE *out, const struct ep_opened_runs *before,
	const struct ep_opened_runs *after, struct ep_comparison *tables,
	struct ep_compared_counts *counts)
{
	static const struct compare_request all_rows; /* top is 0: no row is left out */
	static const enum ep_by bys[N_PAGE_TABLES] = { EP_BY_PROCEDURES, EP_BY_LINES, EP_BY_MODULES,
		EP_BY_LOOPS };
	const struct ep_comparison *pointers[N_PAGE_TABLES];
	uint32_t n = before->runs.n + after->runs.n;
	uint32_t n_tables = N_PAGE_TABLES - !(all_have_loops(before) && all_have_loops(after));
	EP_AUTOFREE struct ep_compared_trace *runs = calloc(n + 1, sizeof(*runs));

	if (!runs)
		return -ENOMEM;
	take_runs(runs, before);
	take_runs(runs + before->runs.n, after);
	for (uint32_t i = 0; i < n_tables; i++) {
		if (ep_compare_runs(&before->runs, &after->runs, bys[i], &tables[i]) ||
			count_places(&all_rows, &tables[i], before, after, &counts[i]))
			return -ENOMEM;
		pointers[i] = &tables[i];
	}
	return ep_compare_page_write(
		out, &(struct ep_compare_page_source){ pointers, n_tables, counts, runs });
}

static int write_compare_page(const char *path, const struct ep_opened_runs *before,
	const struct ep_opened_runs *after, struct ep_error *err)
{
	struct ep_comparison tables[N_PAGE_TABLES] = { 0 };
	struct ep_compared_counts counts[N_PAGE_TABLES] = { 0 };
	FILE *out;
	int rc = ep_output_open(path, &out, err), closed;

	if (rc)
		return rc;
	rc = write_tables(out, before, after, tables, counts);
	for (int i = 0; i < N_PAGE_TABLES; i++) {
		ep_compared_counts_finish(&counts[i]);
		ep_comparison_finish(&tables[i]);
	}
	closed = ep_output_close(out, path, err);
	return rc ? ep_fail(err, -ENOMEM, "out of memory") : closed;
}

/* Compares two programs and prints the result; *out_status is the exit status. */
static int compare_runs(struct compare_request *q, int *out_status, struct ep_error *err)
{
	__attribute__((cleanup(ep_opened_runs_finish))) struct ep_opened_runs before = { 0 };
	__attribute__((cleanup(ep_opened_runs_finish))) struct ep_opened_runs after = { 0 };
	__attribute__((cleanup(ep_comparison_finish))) struct ep_comparison comparison = { 0 };
	__attribute__((
		cleanup(ep_compared_counts_finish))) struct ep_compared_counts counts = { 0 };
	__attribute__((cleanup(ep_gate_finish))) struct ep_gate gate = { 0 };
	bool is_by_loop = q->page.options.by == EP_BY_LOOPS;
	const struct ep_opened_how how = { .sysroot = q->sysroot,
		.loops = is_by_loop || q->html,
		.loops_are_optional = !is_by_loop,
		.filler = choose_filler(q),
		.selection = &q->selection };
	int rc = ep_opened_runs_create((const char *const *)q->before, &how, &before, err);

	if (!rc)
		rc = ep_opened_runs_create((const char *const *)q->after, &how, &after, err);
	if (rc)
		return rc;
	if (ep_compare_runs(&before.runs, &after.runs, q->page.options.by, &comparison))
		return ep_fail(err, -ENOMEM, "out of memory");
	if (!isnan(q->limit)) {
		rc = judge(q, &comparison, &before.runs, &after.runs, &gate, err);
		if (rc)
			return rc;
		q->page.gate = &gate;
	}
	q->page.comparison = &comparison;
	*out_status = gate.n_failed ? EXIT_SLOWER : 0;
	if (q->html)
		return write_compare_page(q->html, &before, &after, err);
	if (count_places(q, &comparison, &before, &after, &counts))
		return ep_fail(err, -ENOMEM, "out of memory");
	q->page.counts = &counts;
	ep_terminal_look(&q->page.options, true, q->colour);
	ep_pager_start();
	if (q->print(&q->page, stdout))
		return ep_fail(err, -ENOMEM, "out of memory");
	return 0;
}

int ep_cmd_compare(int argc, char **argv)
{
	__attribute__((cleanup(request_finish))) struct compare_request q = {
		.page = { .options = { .by = EP_BY_PROCEDURES }, .top = TOP_NOT_SAID },
		.selection = { .to_s = INFINITY },
		.limit = NAN,
	};
	struct ep_error err;
	int status = parse_arguments(&q, argc, argv), rc;

	if (status != EP_OPTIONS_READ)
		return status;
	if (q.series.names) {
		ep_terminal_look(&q.series.page.options, true, q.colour);
		rc = ep_lineup_command(&q.series, &err);
		status = 0;
	} else if (!q.before || !q.after)
		rc = ep_fail(&err, -ENOMEM, "out of memory");
	else
		rc = compare_runs(&q, &status, &err);
	if (rc)
		ep_error_print(&err, "evreport compare");
	return rc ? 1 : status;
}
