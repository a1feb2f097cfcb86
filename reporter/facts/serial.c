// SPDX-License-Identifier: BSD-3-Clause
/* Finds the longest times in which one thread ran alone, and the calls in which that thread was. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"
#include "reporter/load/serial_parts.h"

#define LEAST_MEAN                                                                                 \
	1.05 /* least mean of running threads: a run with fewer is one serial part as a whole */
#define LEAST_SHARE 0.02 /* least share of a part in the time in which threads ran */
#define LEAST_US 10000
#define MOSTLY 0.5     /* a call that has less of the part's time is not named */
#define LEAST_SLICES 5 /* fewer slices do not tell in which calls a part passed */
#define MOST_NAMES 4

/* Sums up, for each call, the time of the paths that end in it or below it. */
static double sum_up(
	const struct ep_call_tree *tree, const double *us_of_path, uint32_t n_paths, double *out_us)
{
	memset(out_us, 0, tree->n_calls * sizeof(*out_us));
	for (uint32_t i = 0; i < n_paths; i++)
		if (us_of_path[i] > 0)
			out_us[tree->call_of_path[i]] += us_of_path[i];
	for (uint32_t i = tree->n_calls; i-- > 1;)
		out_us[tree->calls[i].parent] += out_us[i];
	return out_us[0];
}

/* Returns the callee that has more than half of the part's time (all_us); EP_NONE: there is none. */
static uint32_t main_callee(
	const struct ep_call_tree *tree, uint32_t call, const double *us, double all_us)
{
	uint32_t best = EP_NONE;

	for (uint32_t i = tree->calls[call].first_child; i != EP_NONE;
		i = tree->calls[i].next_sibling)
		if (us[i] > MOSTLY * all_us && (best == EP_NONE || us[i] > us[best]))
			best = i;
	return best;
}

/* Joins the last MOST_NAMES of n names with " > ". Name i is at names[i % MOST_NAMES]. NULL: n is 0. */
static const char *join_names(struct ep_builder *builder, const char *const *names, uint32_t n)
{
	const char *text = n > MOST_NAMES ? "..." : NULL;

	for (uint32_t i = n > MOST_NAMES ? n - MOST_NAMES : 0; i < n; i++)
		text = text ? ep_builder_text(builder, "%s > %s", text, names[i % MOST_NAMES])
			    : names[i % MOST_NAMES];
	return text;
}

/* Names the calls in which more than half of the part passed, outermost first. us (n_calls) is the part's
 * time in each call. */
static void name_calls(struct ep_builder *builder, const struct ep_call_tree *tree,
	const double *us, struct ep_report_serial_part *part)
{
	const char *names[MOST_NAMES];
	uint32_t n_names = 0;

	for (uint32_t i = main_callee(tree, 0, us, us[0]); i != EP_NONE;
		i = main_callee(tree, i, us, us[0])) {
		const struct ep_call *call = &tree->calls[i];
		const char *name = ep_symbols_get(builder->symbols, call->symbol_idx)->short_name;

		if (call->loop_idx != EP_NONE || ep_is_start(name))
			continue;
		names[n_names++ % MOST_NAMES] = name;
		part->calls_share = us[i] / us[0];
	}
	part->calls = join_names(builder, names, n_names);
}

static int build_part(struct ep_builder *builder, const struct ep_call_tree *tree,
	const struct ep_serial_part *found, struct ep_report_serial_part *part)
{
	const struct ep_trace *trace = builder->trace;
	EP_AUTOFREE double *us_of_path = calloc(trace->n_paths, sizeof(*us_of_path));
	EP_AUTOFREE double *us = calloc(tree->n_calls, sizeof(*us));
	uint32_t n_slices;
	bool is_whole;

	if (!us_of_path || !us)
		return -ENOMEM;
	part->from_s = (double)found->from_us / 1e6 - (double)builder->birth_ns / 1e9;
	part->to_s = part->from_s + (double)(found->to_us - found->from_us) / 1e6;
	part->alone_s = found->alone_us / 1e6;
	part->share = part->alone_s / builder->report->parallel.busy_s;
	part->calls_share = part->calls_error = NAN;
	n_slices = ep_serial_part_paths(trace->latency, found, us_of_path);
	if (n_slices < LEAST_SLICES || sum_up(tree, us_of_path, trace->n_paths, us) <= 0)
		return 0;
	name_calls(builder, tree, us, part);
	if (!part->calls)
		return 0;
	/* less than half a slice is outside of the call, which the part's ends explain: the share counts as 1 */
	is_whole = n_slices * (1 - part->calls_share) < 0.5;
	part->calls_error = ep_share_error(is_whole ? 1 : part->calls_share, n_slices);
	return 0;
}

void ep_build_serial_parts(struct ep_builder *builder, const struct ep_call_tree *tree)
{
	struct ep_serial_part found[EP_MAX_SERIAL_PARTS];
	struct ep_report *report = builder->report;
	struct ep_report_parallel *parallel = &report->parallel;
	double least_us = LEAST_SHARE * parallel->busy_s * 1e6;

	/* If a thread is ready without a CPU, another thread runs alone that would not run alone on a free machine. */
	if (parallel->busy_s <= 0 || parallel->mean < LEAST_MEAN || report->lacked_cpus)
		return;
	parallel->n_serial_parts = ep_serial_parts(builder->trace->latency,
		least_us > LEAST_US ? least_us : LEAST_US, found, EP_MAX_SERIAL_PARTS);
	for (uint32_t i = 0; i < parallel->n_serial_parts; i++)
		if (build_part(builder, tree, &found[i], &parallel->serial_parts[i]))
			builder->out_of_memory = true;
}
