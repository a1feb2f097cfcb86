// SPDX-License-Identifier: BSD-3-Clause
/* evprof plan: the groups of events that models take on this CPU or another, before a run. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "counters/settings.h"
#include "evprof_commands.h"
#include "models.h"
#include "prepare.h"

static void print_help(void)
{
	printf("usage: evprof plan [OPTIONS] [MODEL[,MODEL...]]\n\n"
	       "Shows the groups of events that the models take, and what no group can hold.\n\n"
	       "  -m, --models MODEL[,MODEL...]  the same as naming them at the end\n"
	       "  --cpu CPU       another CPU ('evprof list --models' names them)\n"
	       "  --counters N    as if it had N general counters\n"
	       "  --period TIME   figures for slices of this CPU time\n"
	       "  --prepare[=FILE] prepare all models, your own among them, for programs that are\n"
	       "                  started with LD_PRELOAD=libevprof.so alone\n\n"
	       "exit status: 0 done, 1 no such model, 2 wrong usage\n");
}

struct plan_options {
	struct ep_event_plan_request request;
	bool prepares;
	const char *prepared; /* path; NULL: the user's */
};

static int read_option(
	int code, const char *value, struct plan_options *options, struct ep_error *err)
{
	struct ep_event_plan_request *request = &options->request;
	char *end = NULL;

	switch (code) {
	case 'm':
		request->models = value;
		return 0;
	case 'c':
		request->cpu = value;
		return 0;
	case 'n':
		request->n_counters = (uint32_t)strtoul(value, &end, 10);
		if (*end || !request->n_counters || request->n_counters > 64)
			return ep_fail(err, -EINVAL, "counters '%s' is not from 1 to 64", value);
		return 0;
	case 'p':
		return ep_period_parse(value, &request->period_ns, err);
	case 'P':
		options->prepares = true;
		options->prepared = value;
		return 0;
	default:
		return ep_fail(err, -EINVAL, "'evprof plan --help' shows the options");
	}
}

static int fail(const struct ep_error *err, int status)
{
	ep_error_print(err, "evprof");
	return status;
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
	static const struct option longs[] = { { "models", required_argument, NULL, 'm' },
		{ "cpu", required_argument, NULL, 'c' },
		{ "counters", required_argument, NULL, 'n' },
		{ "period", required_argument, NULL, 'p' },
		{ "prepare", optional_argument, NULL, 'P' }, { "help", no_argument, NULL, 'h' },
		{ NULL } };
	struct plan_options options = { .prepares = false };
	struct ep_error err = { .message = "" };
	int code;

	optind = 1;
	while ((code = getopt_long(argc, argv, "m:h", longs, NULL)) != -1) {
		if (code == 'h') {
			print_help();
			return 0;
		}
		if (read_option(code, optarg, &options, &err))
			return fail(&err, 2);
	}
	if (argc - optind > 1) {
		ep_fail(&err, -EINVAL, "join the models by commas, as in topdown,lcpi");
		return fail(&err, 2);
	}
	if (optind < argc)
		options.request.models = argv[optind];
	int rc = options.prepares ? ep_prepare_plans(options.prepared, &err)
				  : show_plan(&options.request, &err);
	return rc ? fail(&err, 1) : 0;
}
