// SPDX-License-Identifier: BSD-3-Clause
/* evprof plan: shows the groups of events that models need on this CPU or another, before a run. */
#include <stdio.h>
#include <unistd.h>

#include "common/options.h"
#include "counters/settings.h"
#include "evprof_commands.h"
#include "models.h"
#include "prepare.h"

static const char usage[] =
	"usage: evprof plan [OPTIONS] [MODEL[,MODEL...]]\n\n"
	"Shows the groups of events that the models take, and what no group can hold.\n\n"
	"  -m, --models MODEL[,MODEL...]  the same as naming them at the end\n"
	"  --cpu CPU       another CPU ('evprof list --models' names them)\n"
	"  --counters N    as if it had N general counters\n"
	"  --period TIME   figures for slices of this CPU time\n"
	"  --prepare[=FILE] prepare all models, your own among them, for programs that are\n"
	"                  started with LD_PRELOAD=libevprof.so alone\n\n"
	"exit status: 0 done, 1 no such model, 2 wrong usage\n";

static int read_period(void *period_ns, const char *value, struct ep_error *err)
{
	return ep_period_parse(value, period_ns, err);
}

static int show_plan(struct ep_event_plan_request *request, struct ep_error *err)
{
	struct ep_event_plan *plan = NULL;
	int rc;

	if (!request->models)
		request->models = ep_event_plan_default_models(request->cpu);
	rc = ep_models_plan(request, &plan, err);
	if (rc)
		return rc;
	ep_event_plan_print(plan, stdout);
	if (!request->cpu && ep_models_lack_counters(plan))
		puts("no hardware events can be counted here now: the groups are those that this CPU would have (evprof doctor says why)");
	ep_event_plan_destroy(plan);
	return 0;
}

int ep_cmd_plan(int argc, char **argv)
{
	struct ep_event_plan_request request = { 0 };
	const char *prepared = NULL; /* the path; NULL: the user's own file */
	bool prepares = false;
	const struct ep_option rows[] = {
		{ "models", 'm', .text = &request.models, .expected = "MODEL[,MODEL...]" },
		{ "cpu", .text = &request.cpu, .expected = "a CPU" },
		{ "counters", .count = &request.n_counters, .least = 1, .most = 64,
			.expected = "a number from 1 to 64" },
		{ "period", .read = read_period, .into = &request.period_ns, .expected = "a time" },
		{ "prepare", .flag = &prepares, .text = &prepared },
		{ NULL },
	};
	const struct ep_options options = { "evprof plan", usage, .rows = rows,
		.hint = "'evprof plan --help' shows the options\n" };
	int status = ep_options_read(&options, argc, argv);
	struct ep_error err = { .message = "" };

	if (status != EP_OPTIONS_READ)
		return status;
	if (argc - optind > 1)
		return ep_options_refuse(&options, "join the models by commas, as in topdown,lcpi");
	if (optind < argc)
		request.models = argv[optind];
	if (!(prepares ? ep_prepare_plans(prepared, &err) : show_plan(&request, &err)))
		return 0;
	ep_error_print(&err, "evprof");
	return 1;
}
