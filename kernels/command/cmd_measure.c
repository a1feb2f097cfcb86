// SPDX-License-Identifier: BSD-3-Clause
/* evcal measure: runs kernels and counts events. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/options.h"
#include "kernels/command/evcal_commands.h"
#include "kernels/measure/campaign.h"

static const char usage[] =
	"usage: evcal measure [OPTIONS] -o FOLDER\n"
	"\n"
	"Runs each kernel under every event of this machine and writes FOLDER/KERNEL/events.csv beside\n"
	"the kernel's basis, signatures and thresholds: what evcal derive reads. Run again with the\n"
	"same FOLDER to go on after an interruption. FOLDER/skipped.csv says what could not be counted.\n"
	"\n"
	"  -o, --output FOLDER\n"
	"  -e, --events WHICH   all (default), names or patterns with commas, or a file of names\n"
	"  -k, --kernels LIST   names with commas (default: all)\n"
	"  -r, --reps N         repetitions (default 5)\n"
	"  -t, --threads N      threads of the data-cache kernels (default: up to 4 cores)\n"
	"  -c, --copies N       blas: calls per count, each on operands of its own (default 64; the\n"
	"                       arithmetic-intensity paper compares 1, 8, 64 and 512)\n"
	"  -b, --budget TIME    stop after this time: 90, 90s, 10m, 2h\n"
	"  -s, --source SOURCE  perf (default); papi: the components of the installed PAPI;\n"
	"                       valgrind: simulated instructions, branches, caches;\n"
	"                       sim:FILE[,cpuid=CPU]: ideal responses \"event,<expectations...>\"\n"
	"  -l, --list           list kernels and events, measure nothing\n";

struct measure_options {
	struct ep_campaign campaign;
	uint32_t n_reps, n_threads, n_copies; /* 0: not given */
	bool wants_list;
};

/* Returns the seconds of "90", "90s", "10m" or "2h"; NaN for other texts. */
static double parse_time(const char *text)
{
	char *end;
	double value = strtod(text, &end);
	double unit = !*end || !strcmp(end, "s") ? 1
		      : !strcmp(end, "m")        ? 60
		      : !strcmp(end, "h")        ? 3600
						 : NAN;

	return end == text || value <= 0 ? NAN : value * unit;
}

static int take_budget(void *into, const char *value)
{
	double *budget_s = into;

	*budget_s = parse_time(value);
	return isnan(*budget_s) ? -EINVAL : 0;
}

static int take_source(void *into, const char *value)
{
	struct ep_campaign *campaign = into;

	campaign->source = ep_count_source_find(value, &campaign->source_argument);
	return campaign->source ? 0 : -EINVAL;
}

_Static_assert(EP_MAX_MEASURE_CPUS == 64, "--threads says so");

/* Returns EP_OPTIONS_READ, or the exit status. */
static int parse_options(struct measure_options *o, int argc, char **argv)
{
	struct ep_campaign *campaign = &o->campaign;
	const struct ep_option rows[] = {
		{ "output", 'o', .text = &campaign->folder },
		{ "events", 'e', .text = &campaign->events },
		{ "kernels", 'k', .text = &campaign->kernels },
		{ "reps", 'r', .count = &o->n_reps, .least = 1, .most = 1000,
			.expected = "a number from 1 to 1000" },
		{ "threads", 't', .count = &o->n_threads, .least = 1, .most = EP_MAX_MEASURE_CPUS,
			.expected = "a number from 1 to 64" },
		{ "copies", 'c', .count = &o->n_copies, .least = 1, .most = 4096,
			.expected = "a number from 1 to 4096" },
		{ "budget", 'b', .take = take_budget, .into = &campaign->budget_s,
			.expected = "a time: 90, 90s, 10m, 2h" },
		{ "source", 's', .take = take_source, .into = campaign,
			.expected = "perf, papi, valgrind or sim:FILE[,cpuid=CPU]" },
		{ "list", 'l', .flag = &o->wants_list },
		{ NULL },
	};
	const struct ep_options options = {
		.command = "evcal measure", .usage = usage, .rows = rows
	};
	int status = ep_options_read(&options, argc, argv);

	if (status != EP_OPTIONS_READ)
		return status;
	if (optind < argc)
		return ep_options_refuse(&options, "unexpected argument");
	if (!campaign->folder && !o->wants_list)
		return ep_options_refuse(&options, "--output is missing");
	campaign->n_reps = o->n_reps;
	campaign->n_threads = o->n_threads;
	campaign->n_copies = o->n_copies;
	return EP_OPTIONS_READ;
}

static int print_list(const struct ep_campaign *campaign)
{
	printf("kernels:\n");
	for (const struct ep_micro_kernel *const *kernel = ep_kernels; *kernel; kernel++)
		printf("  %-16s %s\n", (*kernel)->name, (*kernel)->summary);
	printf("events of source %s:\n", campaign->source->name);
	for (size_t i = 0; i < campaign->candidates.n; i++)
		printf("  %-40s %s\n", campaign->candidates.items[i].event.name,
			campaign->candidates.items[i].is_usable
				? "counts"
				: campaign->candidates.items[i].reason);
	return 0;
}

static void print_summary(const struct ep_campaign *campaign)
{
	size_t n_skipped = campaign->candidates.n - campaign->n_usable;
	size_t n_software = 0;

	for (size_t i = 0; i < campaign->n_usable; i++)
		n_software += campaign->usable[i].type == 1; /* 1 is PERF_TYPE_SOFTWARE */
	if (campaign->source == &ep_count_source_perf && n_software == campaign->n_usable)
		fprintf(stderr,
			"evcal measure: no hardware event counts on this machine; %zu software events were measured\n",
			n_software);
	if (n_skipped)
		fprintf(stderr, "evcal measure: %zu events left out, %s/skipped.csv says why\n",
			n_skipped, campaign->folder);
	if (campaign->is_over_budget)
		fprintf(stderr, "evcal measure: the budget is used up; run again to go on\n");
}

static int run_campaign(struct measure_options *options)
{
	struct ep_campaign *campaign = &options->campaign;
	struct ep_error err;
	int rc = ep_campaign_choose(campaign, &err);

	if (options->wants_list && (!rc || rc == -ENODEV)) {
		rc = print_list(campaign);
	} else if (!rc) {
		if (!options->campaign.n_threads)
			campaign->n_threads =
				campaign->machine.n_cpus < 4 ? campaign->machine.n_cpus : 4;
		rc = ep_campaign_run(campaign, &err);
		if (!rc)
			print_summary(campaign);
	}
	if (rc)
		ep_error_print(&err, "evcal measure");
	ep_campaign_finish(campaign);
	return rc != 0;
}

/* Runs this command again inside callgrind: words, the program's path and this command's arguments, follow valgrind's
 * options on the command line. */
static int enter_valgrind(char **argv)
{
	char *words[64] = { "/proc/self/exe" };
	struct ep_error err;
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	int status;

	if (n > 0) {
		path[n] = '\0';
		words[0] = path;
	}
	for (size_t i = 0; argv[i] && i + 2 < EP_ARRAY_SIZE(words); i++)
		words[i + 1] = argv[i];
	if (!ep_count_valgrind_run(words, &status, &err))
		return status;
	ep_error_print(&err, "evcal measure");
	return 1;
}

int ep_cmd_measure(int argc, char **argv)
{
	struct measure_options options = {
		.campaign = { .source = &ep_count_source_perf, .events = "all" },
		.n_reps = 5,
	};
	int status = parse_options(&options, argc, argv);

	if (status != EP_OPTIONS_READ)
		return status;
	if (options.campaign.source == &ep_count_source_valgrind) {
		if (!ep_count_valgrind_is_inside())
			return enter_valgrind(argv);
		/* the other kernels (generated code, streams, matrix products) would take hours in callgrind */
		if (!options.campaign.kernels)
			options.campaign.kernels = "branch,flops,dcache-reads,dcache-writes";
	}
	return run_campaign(&options);
}
