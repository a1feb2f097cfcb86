// SPDX-License-Identifier: BSD-3-Clause
/* evreport advise [OPTIONS] [TRACE...]: load, attribute, assess, print. */
#include "reporter/command/cmd_advise.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/options.h"
#include "reporter/advise/advise_view.h"
#include "reporter/command/cmd_report.h"
#include "reporter/command/opened.h"
#include "reporter/view/terminal.h"

static const char usage[] =
	"usage: evreport advise [OPTIONS] [TRACE...]\n"
	"\n"
	"For each procedure that takes much of the time: what may have cost its cycles (LCPI, as\n"
	"PerfExpert shows it), and what to try. Needs a run that counted what the CPU's LCPI is made\n"
	"of: evprof run where there is a PMU, evprof run --source valgrind anywhere.\n"
	"\n"
	"  -n, --top N            remedies for each procedure (3)\n"
	"  -m, --min-share P      procedures with at least P % of the CPU time (10)\n"
	"  -e, --estimator NAME   fills what was not measured (by the trace's size:\n"
	"                         auto, path or hold)\n"
	"  -s, --sysroot DIR      find programs and libraries below DIR\n"
	"  -f, --format FORMAT    text (default) or json\n"
	"      --color WHEN       auto (on a terminal, the default), always or never\n";

struct advise_request {
	const char *const *paths; /* NULL behind the last */
	const char *sysroot;
	enum ep_colour colour;
	double min_percent; /* of the CPU time */
	uint32_t n_remedies;
	const struct ep_filler_ops *filler;
	int (*print)(const struct ep_advise_page *page, FILE *out);
	struct ep_error err;
};

/* ---- arguments ---- */

static int take_format(void *into, const char *value)
{
	struct advise_request *q = into;

	q->print = !strcmp(value, "text")   ? ep_advise_print_text
		   : !strcmp(value, "json") ? ep_advise_print_json
					    : NULL;
	return q->print ? 0 : -EINVAL;
}

/* EP_OPTIONS_READ, or the exit status. */
static int parse_arguments(struct advise_request *q, int argc, char **argv)
{
	const struct ep_option rows[] = {
		{ "top", 'n', .count = &q->n_remedies, .most = 16,
			.expected = "a number of remedies, at most 16" },
		{ "min-share", 'm', .number = &q->min_percent, .most = 100,
			.expected = "a percentage, 0 to 100" },
		{ "estimator", 'e', .take = ep_filler_take, .into = &q->filler,
			.expected = EP_FILLER_EXPECTED },
		{ "sysroot", 's', .text = &q->sysroot },
		{ "color", .take = ep_colour_take, .into = &q->colour,
			.expected = EP_COLOUR_EXPECTED },
		{ "format", 'f', .take = take_format, .into = q, .expected = "text or json" },
		{ NULL },
	};
	const struct ep_options options = {
		.command = "evreport advise", .usage = usage, .rows = rows
	};
	int status = ep_options_read(&options, argc, argv);

	if (status == EP_OPTIONS_READ && optind < argc)
		q->paths = (const char *const *)(argv + optind);
	return status;
}

/* ---- work ---- */

static int advise_on(struct advise_request *q, const struct ep_report *report, const char *cpuid)
{
	__attribute__((cleanup(ep_assessments_finish))) struct ep_assessments assessments = { 0 };
	__attribute__((cleanup(ep_advice_finish))) struct ep_advice advice = { 0 };
	struct ep_advise_page page = {
		.report = report,
		.assessments = &assessments,
		.advice = &advice,
		.n_remedies = q->n_remedies,
	};
	int rc = ep_assess(report, cpuid, q->min_percent / 100, &assessments, &q->err);

	if (rc == -ENOENT)
		return ep_fail(&q->err, rc,
			"there is no model (LCPI) of this CPU to compute advice from; a run with 'evprof run --source valgrind' has advice on any machine, and 'evreport metrics' has what Linux counts on every CPU");
	if (rc == -ENODATA)
		return ep_fail(&q->err, rc,
			"no advice (LCPI): the run did not count what it is computed from, or no procedure has %.0f %% of the time; record with 'evprof run -m lcpi' where there is a PMU, with 'evprof run --source valgrind' anywhere",
			q->min_percent);
	if (!rc)
		rc = ep_advice_read_shipped(&advice, &q->err);
	if (rc)
		return rc;
	ep_terminal_look(&page.options, true, q->colour);
	return q->print(&page, stdout);
}

int ep_cmd_advise(int argc, char **argv)
{
	struct advise_request q = {
		.paths = ep_default_traces(),
		.min_percent = 10,
		.n_remedies = 3,
		.print = ep_advise_print_text,
	};
	__attribute__((cleanup(ep_opened_report_finish))) struct ep_opened_report opened = { 0 };
	int status = parse_arguments(&q, argc, argv), rc;

	if (status != EP_OPTIONS_READ)
		return status;
	struct ep_report_options options = {
		.n_bins = EP_TIMELINE_BINS, .trace_paths = q.paths, .filler = q.filler
	};

	setlocale(LC_CTYPE, "");
	rc = ep_opened_report_create(&options, q.sysroot, &opened, &q.err);
	if (!rc)
		rc = advise_on(&q, opened.report, ep_trace_cpuid(opened.trace));
	if (rc)
		ep_error_print(&q.err, "evreport advise");
	return rc ? 1 : 0;
}
