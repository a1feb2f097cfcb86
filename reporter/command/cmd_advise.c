// SPDX-License-Identifier: BSD-3-Clause
/* evreport advise [OPTIONS] [TRACE...]: loads traces, attributes their counts, assesses places and prints advice. */
#include "reporter/command/cmd_advise.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/options.h"
#include "reporter/advise/advise_view.h"
#include "reporter/command/cmd_report.h"
#include "reporter/command/opened.h"
#include "reporter/command/pager.h"
#include "reporter/command/parameters.h"
#include "reporter/command/select.h"
#include "reporter/command/sides.h"
#include "reporter/fill/fill_choose.h"
#include "reporter/view/terminal.h"

static const char usage[] =
	"usage: evreport advise [OPTIONS] [TRACE...]\n"
	"       evreport advise [OPTIONS] TRACE... -- TRACE...\n"
	"\n"
	"For each procedure that takes much of the time: what may have cost its cycles (LCPI, as\n"
	"PerfExpert shows it), and what to try. Needs a run that counted what the CPU's LCPI is made\n"
	"of: evprof run where there is a PMU, evprof run --source valgrind anywhere.\n"
	"Two traces that are not of one run, or those on the two sides of --, are shown as two runs,\n"
	"their procedures paired by name, or where renamed by what they call. In a bar > stands for the\n"
	"cycles that both runs need, 1 or 2 for those that only that run needs.\n"
	"\n"
	"  -n, --top N            remedies for each procedure (3)\n"
	"  -a, --all              every remedy that fits, the most promising first\n"
	"  -b, --by WHAT          procedure (default) or loop\n"
	"  -m, --min-share P      procedures or loops with at least P % of the CPU time (10)\n"
	"  -e, --estimator NAME   fills what was not measured (by the number of\n"
	"                         slices: auto, path or hold)\n" EP_PARAMETER_USAGE
	"      --region NAME      only what ran in a region that the program has named\n"
	"      --phase N          only this phase of those that evreport phases shows\n"
	"      --from SECONDS     only what ran from then on\n"
	"      --to SECONDS       only what ran until then\n"
	"  -s, --sysroot DIR      find programs and libraries below DIR\n"
	"  -f, --format FORMAT    text (default) or json\n"
	"      --color WHEN       auto (on a terminal, the default), always or never\n";

struct advise_request {
	/* the traces of each run; NULL follows the last; [1] NULL: there is one run */
	const char **sides[2];
	const char *sysroot;
	struct ep_selection selections[2]; /* the same part of each side's run */
	struct ep_parameters parameters;
	enum ep_colour colour;
	double min_percent; /* per cent of the CPU time; smaller places are not shown */
	bool by_loop;
	uint32_t n_remedies;
	bool wants_all; /* show all remedies */
	const struct ep_filler_ops *filler;
	bool filler_is_default;
	int (*print)(const struct ep_advise_page *page, FILE *out);
	struct ep_error err;
};

static void request_finish(struct advise_request *q)
{
	free(q->sides[0]);
	free(q->sides[1]);
}

/* ---- arguments ---- */

static int take_by(void *into, const char *value)
{
	bool *by_loop = into;

	*by_loop = !strcmp(value, "loop");
	return *by_loop || !strcmp(value, "procedure") ? 0 : -EINVAL;
}

static int take_format(void *into, const char *value)
{
	struct advise_request *q = into;

	q->print = !strcmp(value, "text")   ? ep_advise_print_text
		   : !strcmp(value, "json") ? ep_advise_print_json
					    : NULL;
	return q->print ? 0 : -EINVAL;
}

/* Takes n names of traces, the last n_second of which followed "--" (-1: there was no "--"). Returns what is wrong with
 * the names, or NULL. */
static const char *take_sides(
	struct advise_request *q, const char *const *names, int n, int n_second)
{
	if (n_second == n && n)
		n_second = -1; /* this "--" only ended the options */
	if (!n_second)
		return "there are traces on one side of -- only";
	if (!n)
		for (names = ep_default_traces(); names[n];)
			n++;
	q->sides[0] = ep_sides_take_names(names, n_second < 0 ? n : n - n_second);
	if (n_second > 0)
		q->sides[1] = ep_sides_take_names(names + n - n_second, n_second);
	return q->sides[0] && (n_second < 0 || q->sides[1]) ? NULL : "out of memory";
}

/* Reads the arguments. Returns EP_OPTIONS_READ, or the exit status. */
static int parse_arguments(struct advise_request *q, int argc, char **argv)
{
	static const char seconds[] = "seconds since the run began";
	struct ep_selection *selection = &q->selections[0];
	const struct ep_option rows[] = {
		{ "top", 'n', .count = &q->n_remedies, .most = 16,
			.expected = "a number of remedies, at most 16" },
		{ "all", 'a', .flag = &q->wants_all },
		{ "by", 'b', .take = take_by, .into = &q->by_loop,
			.expected = "procedure or loop" },
		{ "min-share", 'm', .number = &q->min_percent, .most = 100,
			.expected = "a percentage, 0 to 100" },
		{ "estimator", 'e', .take = ep_filler_take, .into = &q->filler,
			.expected = EP_FILLER_EXPECTED },
		{ "param", .take = ep_parameters_take, .into = &q->parameters,
			.expected = EP_PARAMETERS_EXPECTED },
		{ "region", .text = &selection->region },
		{ "phase", .count = &selection->phase, .least = 1, .most = UINT32_MAX,
			.expected = EP_PHASE_EXPECTED },
		{ "from", .number = &selection->from_s, .most = INFINITY, .expected = seconds },
		{ "to", .number = &selection->to_s, .most = INFINITY, .expected = seconds },
		{ "sysroot", 's', .text = &q->sysroot },
		{ "color", .take = ep_colour_take, .into = &q->colour,
			.expected = EP_COLOUR_EXPECTED },
		{ "format", 'f', .take = take_format, .into = q, .expected = "text or json" },
		{ NULL },
	};
	const struct ep_options options = {
		.command = "evreport advise", .usage = usage, .rows = rows
	};
	int n_second = ep_sides_count_after_dashes(argc, argv);
	int status = ep_options_read(&options, argc, argv);
	const char *refusal;

	if (status != EP_OPTIONS_READ)
		return status;
	selection->sysroot = q->sysroot;
	q->selections[1] = *selection;
	if (q->wants_all)
		q->n_remedies = EP_REMEDIES_ALL;
	refusal = take_sides(q, (const char *const *)argv + optind, argc - optind, n_second);
	return refusal ? ep_options_refuse(&options, refusal) : EP_OPTIONS_READ;
}

/* ---- work ---- */

/* If there are exactly two traces and they are of different runs, makes the second trace the second side. A pipe ("-")
 * cannot be read twice; therefore two traces count as one run if one of them is a pipe. */
static int tell_sides(struct advise_request *q)
{
	const char **paths = q->sides[0];
	bool are_two_runs = false;
	int rc;

	if (q->sides[1] || !paths[0] || !paths[1] || paths[2] || !strcmp(paths[0], "-") ||
		!strcmp(paths[1], "-"))
		return 0;
	rc = ep_sides_tell((const char *const *)paths, &are_two_runs, &q->err);
	if (rc || !are_two_runs)
		return rc;
	q->sides[1] = ep_sides_take_names((const char *const *)paths + 1, 1);
	if (!q->sides[1])
		return ep_fail(&q->err, -ENOMEM, "out of memory");
	paths[1] = NULL;
	return 0;
}

struct side {
	struct ep_opened_report opened;
	struct ep_assessments assessments;
};

static void side_finish(struct side *side)
{
	ep_assessments_finish(&side->assessments);
	ep_opened_report_finish(&side->opened);
}

static int fail_without_events(
	struct advise_request *q, const struct ep_report *report, const char *path)
{
	if (report->is_simulated && report->selection)
		return ep_fail_at(&q->err, -ENODATA, (struct ep_place){ .file = path },
			"no advice for a part of the run, since callgrind's costs are known for the whole run only: leave out --region, --phase, --from and --to");
	return ep_fail_at(&q->err, -ENODATA, (struct ep_place){ .file = path },
		"no advice (LCPI): the run did not count what it is computed from; record with 'evprof run -m lcpi' where there is a PMU, with 'evprof run --source valgrind' anywhere");
}

static int fail_without_places(struct advise_request *q, const char *path)
{
	const char *what = q->by_loop ? "loop" : "procedure";

	return ep_fail_at(&q->err, -ERANGE, (struct ep_place){ .file = path },
		"no %s with advice takes %g %% of the time; a lower --min-share shows more", what,
		q->min_percent);
}

/* Opens and assesses one side. With two runs all places are assessed, since a procedure that takes much time of
 * one run may take little of the other. */
static int open_side(struct advise_request *q, int at, struct side *out)
{
	struct ep_report_options options = { .n_bins = EP_TIMELINE_BINS,
		.trace_paths = (const char *const *)q->sides[at],
		.filler = q->filler,
		.filler_is_default = q->filler_is_default,
		.callers = q->sides[1] != NULL, /* callers tell which procedures were renamed */
		.loops = q->by_loop,
		.instructions = true }; /* instructions tell which loops are the hottest */
	const char *path = q->sides[1] ? q->sides[at][0] : NULL;
	int rc = ep_selection_take_part(&q->selections[at], &options, &q->err);

	if (!rc)
		rc = ep_opened_report_create(&options, q->sysroot, &out->opened, &q->err);
	if (rc)
		return rc;
	struct ep_assess_question question = { out->opened.report,
		ep_trace_cpuid(out->opened.trace), q->sides[1] ? 0 : q->min_percent / 100,
		q->by_loop, q->parameters.texts };

	rc = ep_assess_places(&question, &out->assessments, &q->err);
	if (rc == -ENOENT)
		return ep_fail_at(&q->err, rc, (struct ep_place){ .file = path },
			"there is no model (LCPI) of this CPU to compute advice from; a run with 'evprof run --source valgrind' has advice on any machine, and 'evreport metrics' has what Linux counts on every CPU");
	if (rc == -ERANGE)
		return fail_without_places(q, path);
	return rc == -ENODATA ? fail_without_events(q, out->opened.report, path) : rc;
}

static struct ep_advise_page page_of(
	const struct advise_request *q, const struct side *side, const struct ep_advice *advice)
{
	struct ep_advise_page page = { .report = side->opened.report,
		.assessments = &side->assessments,
		.advice = advice,
		.n_remedies = q->n_remedies };

	ep_terminal_look(&page.options, true, q->colour);
	return page;
}

static int print_two(struct advise_request *q, struct ep_advise_page *page)
{
	__attribute__((cleanup(ep_sections_finish))) struct ep_sections sections = { 0 };
	__attribute__((cleanup(ep_comparison_finish))) struct ep_comparison comparison = { 0 };
	const struct ep_compared_runs first = { &page->report, 1 },
				      second = { &page->second->report, 1 };
	const struct ep_section_question question = {
		{ page->assessments, page->second->assessments }, &comparison, q->min_percent / 100
	};
	int rc = ep_compare_runs(
		&first, &second, q->by_loop ? EP_BY_LOOPS : EP_BY_PROCEDURES, &comparison);

	if (!rc)
		rc = ep_sections_create(&question, &sections);
	if (rc)
		return ep_fail(&q->err, rc, "out of memory");
	if (!sections.n_rows)
		return fail_without_places(q, NULL);
	page->sections = &sections;
	return q->print(page, stdout);
}

/* Chooses the estimator. Both sides get the same one, so that no difference between them comes from the estimator. */
static void choose_filler(struct advise_request *q)
{
	struct ep_traces_length length = { 0 };

	for (size_t at = 0; at < EP_ARRAY_SIZE(q->sides) && q->sides[at]; at++)
		ep_traces_length_add(&length, (const char *const *)q->sides[at]);
	q->filler = ep_filler_choose(&length).filler;
	q->filler_is_default = true;
}

static int advise(struct advise_request *q)
{
	__attribute__((cleanup(side_finish))) struct side first = { 0 };
	__attribute__((cleanup(side_finish))) struct side second = { 0 };
	__attribute__((cleanup(ep_advice_finish))) struct ep_advice advice = { 0 };
	struct ep_advise_page page, other;
	int rc = tell_sides(q);

	if (!rc && !q->filler)
		choose_filler(q);
	if (!rc)
		rc = open_side(q, 0, &first);
	if (!rc && q->sides[1])
		rc = open_side(q, 1, &second);
	if (!rc)
		rc = ep_advice_read_shipped(&advice, &q->err);
	if (rc)
		return rc;
	page = page_of(q, &first, &advice);
	ep_pager_start();
	if (!q->sides[1])
		return q->print(&page, stdout);
	other = page_of(q, &second, &advice);
	page.second = &other;
	return print_two(q, &page);
}

int ep_cmd_advise(int argc, char **argv)
{
	__attribute__((cleanup(request_finish))) struct advise_request q = {
		.selections = { { .to_s = INFINITY } },
		.min_percent = 10,
		.n_remedies = 3,
		.print = ep_advise_print_text,
	};
	int status = parse_arguments(&q, argc, argv), rc;

	if (status != EP_OPTIONS_READ)
		return status;
	rc = advise(&q);
	if (rc)
		ep_error_print(&q.err, "evreport advise");
	return rc ? 1 : 0;
}
