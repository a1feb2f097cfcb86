// SPDX-License-Identifier: BSD-3-Clause
/* evcal measure: runs kernels under events. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "kernels/command.h"
#include "kernels/measure/campaign.h"

static const char usage[] =
	"usage: evcal measure [OPTIONS] -o FOLDER\n"
	"\n"
	"Runs each kernel under every event of this machine and writes FOLDER/KERNEL/events.csv "
	"beside\n"
	"the kernel's basis, signatures and thresholds: what evcal derive reads. Run again with "
	"the\n"
	"same FOLDER to go on after an interruption. FOLDER/skipped.csv says what could not be "
	"counted.\n"
	"\n"
	"  -o, --output FOLDER\n"
	"  -e, --events WHICH   all (default), names or patterns with commas, or a file of names\n"
	"  -k, --kernels LIST   names with commas (default: all)\n"
	"  -r, --reps N         repetitions (default 5)\n"
	"  -t, --threads N      threads of the data-cache kernels (default: up to 4 cores)\n"
	"  -c, --copies N       blas: calls per count, each on operands of its own (default 64; "
	"the\n"
	"                       arithmetic-intensity paper compares 1, 8, 64 and 512)\n"
	"  -b, --budget TIME    stop after this time: 90, 90s, 10m, 2h\n"
	"  -s, --source SOURCE  perf (default); valgrind: simulated instructions, branches, "
	"caches;\n"
	"                       sim:FILE: ideal responses \"event,<expectations...>\"\n"
	"  -l, --list           list kernels and events, measure nothing\n";

static const struct option long_options[] = {
	{ "help", no_argument, NULL, 'h' },
	{ "output", required_argument, NULL, 'o' },
	{ "events", required_argument, NULL, 'e' },
	{ "kernels", required_argument, NULL, 'k' },
	{ "reps", required_argument, NULL, 'r' },
	{ "threads", required_argument, NULL, 't' },
	{ "copies", required_argument, NULL, 'c' },
	{ "budget", required_argument, NULL, 'b' },
	{ "source", required_argument, NULL, 's' },
	{ "list", no_argument, NULL, 'l' },
	{ 0 },
};

struct options {
	struct ep_campaign campaign;
	bool wants_list, wants_help;
};

/* "90", "90s", "10m", "2h"; NaN when it is none of them. */
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

static int parse_count(const char *text, size_t max, size_t *out)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (end == text || *end || !value || value > max)
		return -EINVAL;
	*out = value;
	return 0;
}

static int set_source(struct ep_campaign *campaign, const char *setting)
{
	campaign->source = ep_count_source_find(setting, &campaign->source_argument);
	return campaign->source ? 0 : -EINVAL;
}

static int set_option(struct options *options, int option)
{
	struct ep_campaign *campaign = &options->campaign;

	switch (option) {
	case 'h':
		options->wants_help = true;
		return 0;
	case 'l':
		options->wants_list = true;
		return 0;
	case 'o':
		campaign->folder = optarg;
		return 0;
	case 'e':
		campaign->events = optarg;
		return 0;
	case 'k':
		campaign->kernels = optarg;
		return 0;
	case 'r':
		return parse_count(optarg, 1000, &campaign->n_reps);
	case 't':
		return parse_count(optarg, EP_MAX_MEASURE_CPUS, &campaign->n_threads);
	case 'c':
		return parse_count(optarg, 4096, &campaign->n_copies);
	case 'b':
		campaign->budget_s = parse_time(optarg);
		return isnan(campaign->budget_s) ? -EINVAL : 0;
	case 's':
		return set_source(campaign, optarg);
	}
	return -EINVAL;
}

static int parse_options(struct options *options, int argc, char **argv)
{
	int option;

	while ((option = getopt_long(argc, argv, "ho:e:k:r:t:c:b:s:l", long_options, NULL)) != -1)
		if (set_option(options, option)) {
			if (option != '?')
				fprintf(stderr, "evcal measure: -%c cannot be \"%s\"\n", option,
					optarg);
			return -EINVAL;
		}
	if (optind < argc)
		return -EINVAL;
	return options->campaign.folder || options->wants_list || options->wants_help ? 0 : -EINVAL;
}

static int print_list(const struct ep_campaign *campaign)
{
	printf("kernels:\n");
	for (const struct ep_kernel *const *kernel = ep_kernels; *kernel; kernel++)
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
		n_software += campaign->usable[i].type == 1; /* PERF_TYPE_SOFTWARE */
	if (campaign->source == &ep_count_source_perf && n_software == campaign->n_usable)
		fprintf(stderr,
			"evcal measure: no hardware event counts on this machine; %zu software "
			"events were measured\n",
			n_software);
	if (n_skipped)
		fprintf(stderr, "evcal measure: %zu events left out, %s/skipped.csv says why\n",
			n_skipped, campaign->folder);
	if (campaign->is_over_budget)
		fprintf(stderr, "evcal measure: the budget is used up; run again to go on\n");
}

static int run_campaign(struct options *options)
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

/* The command's words come again behind the program's, inside callgrind. */
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
	struct options options = {
		.campaign = { .source = &ep_count_source_perf, .events = "all", .n_reps = 5 },
	};

	if (parse_options(&options, argc, argv)) {
		fputs(usage, stderr);
		return 2;
	}
	if (options.wants_help) {
		fputs(usage, stdout);
		return 0;
	}
	if (options.campaign.source == &ep_count_source_valgrind) {
		if (!ep_count_valgrind_is_inside())
			return enter_valgrind(argv);
		/* the others take hours there: generated code, streams, matrix products */
		if (!options.campaign.kernels)
			options.campaign.kernels = "branch,flops,dcache-reads,dcache-writes";
	}
	return run_campaign(&options);
}
