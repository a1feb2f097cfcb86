// SPDX-License-Identifier: BSD-3-Clause
/* evreport annotate [OPTIONS] [PROCEDURE|LOOP] [TRACE...]: loads a trace, finds the place, adds up its costs and
 * prints them. */
#include "reporter/command/cmd_annotate.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "common/options.h"
#include "reporter/annotate/annotate.h"
#include "reporter/command/opened.h"
#include "reporter/command/pager.h"
#include "reporter/command/select.h"
#include "reporter/fill/fill_choose.h"
#include "reporter/metrics/choose.h"
#include "reporter/view/terminal.h"

static const char usage[] =
	"usage: evreport annotate [OPTIONS] [PROCEDURE|LOOP] [TRACE...]\n"
	"\n"
	"The source lines and the instructions of one procedure or loop, with the time, the samples and the\n"
	"counts of each, loops at the margin, and > at the hottest. Without a name: of the procedure that\n"
	"has most time.\n"
	"\n"
	"  PROCEDURE              its name, or a part that no other has: solve, 'Mesh::solve(int)'\n"
	"  LOOP                   its line, as 'evreport --by loop' shows it: fem.c:212\n"
	"  -a, --all              all lines and instructions, not only those with time and near them\n"
	"  -e, --event NAME       a column with the counts of this event; again for more\n"
	"                         (those that tell most, as many as there is room for)\n"
	"      --region NAME      only what ran in a region that the program has named\n"
	"      --phase N          only this phase of those that evreport phases shows\n"
	"      --from SECONDS     only what ran from then on\n"
	"      --to SECONDS       only what ran until then\n"
	"      --mcpu NAME        the CPU, by llvm-mca's name, for which llvm-mca (where it is installed)\n"
	"                         computes the least cycles of a loop's turn (default: the run's)\n"
	"  -s, --sysroot DIR      find programs, libraries and sources below DIR\n"
	"  -f, --format FORMAT    text (default) or json\n"
	"      --color WHEN       auto (on a terminal, the default), always or never\n";

enum { MOST_EVENTS = 8 };

struct annotate_request {
	const char *what; /* procedure or loop to annotate; NULL: the hottest procedure */
	const char *const *paths;
	const char *sysroot, *mcpu;
	struct ep_selection selection;
	const char *events[MOST_EVENTS + 1]; /* events with a column; NULL follows the last */
	uint32_t n_events;
	bool shows_all, is_json;
	enum ep_colour colour;
	struct ep_error err;
};

static int take_event(void *into, const char *value)
{
	struct annotate_request *q = into;

	if (q->n_events == MOST_EVENTS)
		return -EINVAL;
	q->events[q->n_events++] = value;
	return 0;
}

static int take_view(void *into, const char *value)
{
	bool *is_json = into;

	*is_json = !strcmp(value, "json");
	return *is_json || !strcmp(value, "text") ? 0 : -EINVAL;
}

/* Takes the arguments that are no options. The first one names a procedure or a loop, unless a file of that name is a
 * trace. The others name traces. */
static void take_names(struct annotate_request *q, const char *const *names)
{
	if (*names && !ep_reader_is_trace(*names))
		q->what = *names++;
	if (*names)
		q->paths = names;
}

/* Reads the arguments. Returns EP_OPTIONS_READ, or the exit status. */
static int parse_arguments(struct annotate_request *q, int argc, char **argv)
{
	static const char seconds[] = "seconds since the run began";
	const struct ep_option rows[] = {
		{ "all", 'a', .flag = &q->shows_all },
		{ "event", 'e', .take = take_event, .into = q,
			.expected = "the name of an event, 8 times at most" },
		{ "region", .text = &q->selection.region },
		{ "phase", .count = &q->selection.phase, .least = 1, .most = UINT32_MAX,
			.expected = EP_PHASE_EXPECTED },
		{ "from", .number = &q->selection.from_s, .most = INFINITY, .expected = seconds },
		{ "to", .number = &q->selection.to_s, .most = INFINITY, .expected = seconds },
		{ "mcpu", .text = &q->mcpu },
		{ "sysroot", 's', .text = &q->sysroot },
		{ "format", 'f', .take = take_view, .into = &q->is_json,
			.expected = "text or json" },
		{ "color", .take = ep_colour_take, .into = &q->colour,
			.expected = EP_COLOUR_EXPECTED },
		{ NULL },
	};
	const struct ep_options options = {
		.command = "evreport annotate", .usage = usage, .rows = rows
	};
	int status = ep_options_read(&options, argc, argv);

	if (status == EP_OPTIONS_READ)
		take_names(q, (const char *const *)(argv + optind));
	return status;
}

static bool has_event(const struct ep_report *report, const char *name)
{
	for (uint32_t e = 0; e < report->n_events; e++) {
		const char *own = report->events[e].name, *pmu = strstr(own, "::");

		if (!strcmp(own, name) || (pmu && !strcmp(pmu + 2, name)))
			return true;
	}
	return false;
}

static int check_events(struct annotate_request *q, const struct ep_report *report)
{
	for (uint32_t i = 0; i < q->n_events; i++)
		if (!has_event(report, q->events[i]))
			return ep_fail(&q->err, -ENOENT,
				"--event %s: the run did not count it; evreport shows the events that it did",
				q->events[i]);
	return 0;
}

static int print(struct annotate_request *q, struct ep_annotation *annotation,
	const struct ep_symbols *symbols)
{
	struct ep_view_options look = { 0 };
	struct ep_annotate_page page = { annotation, symbols, q->paths,
		q->n_events ? q->events : NULL, q->shows_all, { stdout, 0, false, false },
		q->selection.text[0] ? q->selection.text : NULL };
	int rc;

	ep_terminal_look(&look, true, q->colour);
	ep_pager_start();
	page.layout = (struct ep_layout){ stdout, look.width, look.utf8, look.colour };
	rc = q->is_json ? ep_annotate_print_json(&page) : ep_annotate_print_text(&page);
	return rc ? ep_fail(&q->err, rc, "out of memory") : 0;
}

/* Finds which part of the run is shown. */
static int select_part(struct annotate_request *q, struct ep_report_options *options)
{
	const struct ep_load_options names = { .filler = ep_filler_default(q->paths).filler };
	int rc;

	q->selection.sysroot = q->sysroot;
	rc = ep_selection_find(&q->selection, q->paths, &names, &q->err);
	options->from_ns = q->selection.from_ns;
	options->to_ns = q->selection.to_ns;
	options->region = q->selection.region;
	options->selection = q->selection.text[0] ? q->selection.text : NULL;
	return rc;
}

static int annotate(struct annotate_request *q)
{
	__attribute__((cleanup(ep_opened_report_finish))) struct ep_opened_report opened = { 0 };
	__attribute__((
		cleanup(ep_annotate_target_finish))) struct ep_annotate_target target = { 0 };
	__attribute__((cleanup(ep_annotation_finish))) struct ep_annotation annotation = { 0 };
	struct ep_report_options options = {
		.n_bins = EP_TIMELINE_BINS, .trace_paths = q->paths, .instructions = true
	};
	int rc = select_part(q, &options);

	if (!rc)
		rc = ep_opened_report_create(&options, q->sysroot, &opened, &q->err);
	if (!rc)
		rc = check_events(q, opened.report);
	if (!rc)
		rc = ep_annotate_target_find(
			opened.report, opened.symbols, opened.trace, q->what, &target, &q->err);
	if (rc)
		return rc;
	rc = ep_annotation_create(
		opened.trace, opened.symbols, opened.report, &target, &annotation);
	if (!rc)
		rc = ep_annotation_find_bounds(&annotation, ep_trace_cpuid(opened.trace), q->mcpu);
	if (rc)
		return ep_fail(&q->err, rc, "out of memory");
	annotation.sources.sysroot = q->sysroot;
	return print(q, &annotation, opened.symbols);
}

int ep_cmd_annotate(int argc, char **argv)
{
	struct annotate_request q = { .paths = ep_default_traces(),
		.selection = { .to_s = INFINITY } };
	int status = parse_arguments(&q, argc, argv), rc;

	if (status != EP_OPTIONS_READ)
		return status;
	rc = annotate(&q);
	if (rc)
		ep_error_print(&q.err, "evreport annotate");
	return rc ? 1 : 0;
}
