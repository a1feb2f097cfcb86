// SPDX-License-Identifier: BSD-3-Clause
/* evreport phases [OPTIONS] [TRACE...]: loads traces, finds phases and prints them. */
#include "reporter/command/cmd_phases.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/options.h"
#include "reporter/command/opened.h"
#include "reporter/command/pager.h"
#include "reporter/command/phase_load.h"
#include "reporter/command/select.h"
#include "reporter/fill/fill_choose.h"
#include "reporter/phases/phases_view.h"
#include "reporter/view/terminal.h"

static const char usage[] =
	"usage: evreport phases [OPTIONS] [TRACE...]\n"
	"\n"
	"When the run did something else (other procedures, more or fewer CPUs, another pace where\n"
	"instructions were counted), what it did then, and what it did again and again. evreport, metrics\n"
	"and export take --phase N and show one of them.\n"
	"\n"
	"      --region NAME      of what ran in this region alone, whose phases --region with --phase\n"
	"                         takes then\n"
	"  -f, --format FORMAT    text (default) or json\n"
	"  -s, --sysroot DIR      find programs and libraries below DIR\n"
	"      --color WHEN       auto (on a terminal, the default), always or never\n";

struct phases_request {
	const char *const *paths;
	const char *sysroot;
	struct ep_selection selection; /* only its region is used */
	bool is_json;
	enum ep_colour colour;
};

static int take_format(void *into, const char *value)
{
	bool *is_json = into;

	*is_json = !strcmp(value, "json");
	return *is_json || !strcmp(value, "text") ? 0 : -EINVAL;
}

/* Reads the arguments. Returns EP_OPTIONS_READ, or the exit status. */
static int parse_arguments(struct phases_request *q, int argc, char **argv)
{
	const struct ep_option rows[] = {
		{ "region", .text = &q->selection.region, .expected = EP_REGION_EXPECTED },
		{ "format", 'f', .take = take_format, .into = &q->is_json,
			.expected = "text or json" },
		{ "sysroot", 's', .text = &q->sysroot },
		{ "color", .take = ep_colour_take, .into = &q->colour,
			.expected = EP_COLOUR_EXPECTED },
		{ NULL },
	};
	const struct ep_options options = {
		.command = "evreport phases", .usage = usage, .rows = rows
	};
	int status = ep_options_read(&options, argc, argv);

	if (status == EP_OPTIONS_READ && optind < argc)
		q->paths = (const char *const *)(argv + optind);
	return status;
}

static int print(const struct phases_request *q, const struct ep_phases *phases)
{
	struct ep_view_options look = { 0 };

	ep_terminal_look(&look, true, q->colour);
	ep_pager_start();
	const struct ep_layout layout = { stdout, look.width, look.utf8, look.colour };

	if (q->is_json)
		return ep_phases_print_json(phases, q->paths[0], stdout);
	ep_phases_print_text(phases, q->paths[0], &layout);
	return 0;
}

/* Checks that the region exists. Without this check, an unknown region would be shown like a region without phases. */
static int check_region(struct phases_request *q, struct ep_error *err)
{
	const struct ep_load_options names = { .filler = ep_filler_default(q->paths).filler };

	return ep_selection_find(&q->selection, q->paths, &names, err);
}

static int find(struct phases_request *q, struct ep_loaded_phases *out, struct ep_error *err)
{
	const struct ep_phase_question question = { q->paths, q->sysroot, q->selection.region };
	int rc = check_region(q, err);

	return rc ? rc : ep_loaded_phases_create(&question, out, err);
}

int ep_cmd_phases(int argc, char **argv)
{
	__attribute__((cleanup(ep_loaded_phases_finish))) struct ep_loaded_phases loaded = { 0 };
	struct phases_request q = { .paths = ep_default_traces(),
		.selection = { .to_s = INFINITY } };
	struct ep_error err = { 0 };
	int status = parse_arguments(&q, argc, argv), rc;

	if (status != EP_OPTIONS_READ)
		return status;
	rc = find(&q, &loaded, &err);
	if (!rc && print(&q, &loaded.phases))
		rc = ep_fail(&err, -ENOMEM, "out of memory");
	if (rc)
		ep_error_print(&err, "evreport phases");
	return rc ? 1 : 0;
}
