// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/load/rank_costs.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"

static bool same_rank_cost(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_rank_cost *a = &((const struct ep_trace *)owner)->rank_costs[idx], *b = key;

	return a->thread_idx == b->thread_idx && a->path_idx == b->path_idx &&
	       a->is_of_calls == b->is_of_calls;
}

static int find_or_add(struct ep_trace *trace, const struct ep_rank_cost *cost)
{
	uint32_t *last = &trace->paths[cost->path_idx].last_rank_cost;
	uint64_t hash =
		ep_hash_mix(cost->thread_idx, (uint64_t)cost->is_of_calls << 32 | cost->path_idx);

	*last = ep_index_find(&trace->rank_cost_index, hash, same_rank_cost, trace, cost);
	if (*last != EP_NONE) {
		trace->rank_costs[*last].us += cost->us;
		return 0;
	}
	*last = trace->n_rank_costs;
	if (ep_index_add(&trace->rank_cost_index, hash, trace->n_rank_costs))
		return -ENOMEM;
	return ep_rank_cost_append(trace, cost);
}

/* Adds time to the row of a thread and path. Mostly the path's last time was that of the same thread, so that
 * the row is found without a search. */
int ep_rank_cost_see(struct ep_trace *trace, const struct ep_trace_thread *thread,
	uint32_t path_idx, uint64_t us, bool is_of_calls)
{
	uint32_t thread_idx = (uint32_t)(thread - trace->threads);
	uint32_t last = trace->paths[path_idx].last_rank_cost;
	struct ep_rank_cost *row = last < trace->n_rank_costs ? &trace->rank_costs[last] : NULL;
	struct ep_rank_cost cost;

	if (row && row->path_idx == path_idx && row->thread_idx == thread_idx &&
		row->is_of_calls == is_of_calls) {
		row->us += us;
		return 0;
	}
	if (!trace->processes[thread->process_idx].meta[EP_META_RANK])
		return 0;
	cost = (struct ep_rank_cost){ thread_idx, path_idx, us, is_of_calls };
	return find_or_add(trace, &cost);
}

int ep_rank_cost_append(struct ep_trace *trace, const struct ep_rank_cost *cost)
{
	if (EP_ARRAY_RESERVE(trace->rank_costs, trace->n_rank_costs, trace->rank_cost_capacity))
		return -ENOMEM;
	trace->rank_costs[trace->n_rank_costs++] = *cost;
	return 0;
}

static int in_order(const void *a, const void *b)
{
	const struct ep_rank_cost *x = a, *y = b;

	if (x->thread_idx != y->thread_idx)
		return x->thread_idx < y->thread_idx ? -1 : 1;
	if (x->is_of_calls != y->is_of_calls)
		return x->is_of_calls ? 1 : -1;
	return x->path_idx < y->path_idx ? -1 : x->path_idx > y->path_idx;
}

void ep_rank_costs_sort(struct ep_trace *trace)
{
	const struct ep_rank_cost *costs = trace->rank_costs;
	uint32_t i = 1;

	while (i < trace->n_rank_costs && in_order(&costs[i - 1], &costs[i]) <= 0)
		i++;
	if (i < trace->n_rank_costs) /* rank costs from a reduced file are in order already */
		qsort(trace->rank_costs, trace->n_rank_costs, sizeof(*costs), in_order);
}

struct ep_rank_cost *ep_rank_cost_find(
	struct ep_trace *trace, uint32_t thread_idx, uint32_t path_idx)
{
	struct ep_rank_cost key = { thread_idx, path_idx, 0, 0 };

	if (trace->has_plain_rank_costs)
		return NULL;
	return bsearch(&key, trace->rank_costs, trace->n_rank_costs, sizeof(key), in_order);
}

/* ---- weights ---- */

static void weights_finish(struct ep_rank_weights *weights)
{
	for (int kind = 0; kind < 2; kind++) {
		free(weights->shares[kind]);
		free(weights->weights[kind]);
	}
	free(weights->row_of);
	*weights = (struct ep_rank_weights){ 0 };
}

static int weights_init(const struct ep_trace *trace, struct ep_rank_weights *weights)
{
	uint32_t n_rows = trace->n_costs + 1;

	*weights = (struct ep_rank_weights){ .n_rows = n_rows,
		.row_of = malloc(trace->n_paths * sizeof(*weights->row_of)) };
	for (int kind = 0; kind < 2; kind++) {
		weights->shares[kind] = calloc(n_rows, sizeof(*weights->shares[kind]));
		weights->weights[kind] = calloc(n_rows, sizeof(*weights->weights[kind]));
		if (!weights->shares[kind] || !weights->weights[kind])
			return -ENOMEM;
	}
	if (!weights->row_of)
		return -ENOMEM;
	for (uint32_t i = 0; i < trace->n_paths; i++)
		weights->row_of[i] =
			trace->paths[i].cost_idx == EP_NONE ? n_rows - 1 : trace->paths[i].cost_idx;
	return 0;
}

static void find_shares(const struct ep_trace *trace, const struct ep_rank_weights *weights)
{
	for (uint32_t i = 0; i < trace->n_costs; i++) {
		weights->shares[0][i].path_us = trace->costs[i].cost.cpu_us;
		weights->shares[1][i].path_us = trace->costs[i].calls_us;
	}
	for (uint32_t i = 0; i < trace->n_rank_costs; i++) {
		const struct ep_rank_cost *cost = &trace->rank_costs[i];

		weights->shares[cost->is_of_calls][weights->row_of[cost->path_idx]].ranks_us +=
			cost->us;
	}
}

int ep_rank_weights_begin(struct ep_trace *trace, struct ep_rank_weights *out_weights)
{
	*out_weights = (struct ep_rank_weights){ 0 };
	if (!trace->n_rank_costs || trace->has_plain_rank_costs)
		return 0;
	ep_rank_costs_sort(trace);
	if (trace->exact) /* with callgrind's costs, the costs of paths are cycles, not time */
		return 0;
	if (weights_init(trace, out_weights)) {
		weights_finish(out_weights);
		return -ENOMEM;
	}
	find_shares(trace, out_weights);
	return 0;
}

/* Returns the ranks' part of a path's new time, which is the same share as before. Ranks with more than the
 * whole time come from a damaged or forged file. */
static uint64_t part_of(uint64_t now_us, const struct ep_rank_share *share)
{
	if (share->ranks_us >= share->path_us)
		return now_us;
	return (uint64_t)((double)now_us * (double)share->ranks_us / (double)share->path_us + .5);
}

static void find_weights(const struct ep_trace *trace, const struct ep_rank_weights *weights)
{
	struct ep_rank_weight *const *rows = weights->weights;

	for (uint32_t i = 0; i < trace->n_rank_costs; i++) {
		const struct ep_rank_cost *cost = &trace->rank_costs[i];

		rows[cost->is_of_calls][weights->row_of[cost->path_idx]].from_us += cost->us;
	}
	for (uint32_t i = 0; i < trace->n_costs; i++) {
		const struct ep_path_cost *cost = &trace->costs[i];
		uint64_t all_us = cost->cost.cpu_us;
		uint64_t calls_us = cost->calls_us < all_us ? cost->calls_us : all_us;

		rows[0][i].to_us = part_of(all_us - calls_us, &weights->shares[0][i]);
		rows[1][i].to_us = part_of(calls_us, &weights->shares[1][i]);
	}
	for (int kind = 0; kind < 2; kind++) {
		rows[kind][weights->n_rows - 1].to_us = rows[kind][weights->n_rows - 1].from_us;
		for (uint32_t i = 0; i < weights->n_rows; i++)
			rows[kind][i].factor =
				(double)rows[kind][i].to_us / (double)rows[kind][i].from_us;
	}
}

/* Returns the new time of a row. Rounding is done on running sums, so that the ranks' times add up to to_us
 * exactly. Times fit signed numbers, whose conversion takes half the work. */
static inline uint64_t weighed_us(struct ep_rank_weight *weight, uint64_t us)
{
	uint64_t before_us = weight->given_us;

	if (weight->from_us == weight->to_us)
		return us;
	weight->seen_us += us;
	weight->given_us =
		weight->seen_us == weight->from_us
			? weight->to_us
			: (uint64_t)(int64_t)(weight->factor * (double)(int64_t)weight->seen_us +
					      .5);
	return weight->given_us - before_us;
}

void ep_rank_weights_apply(struct ep_trace *trace, struct ep_rank_weights *weights)
{
	if (!weights->row_of)
		return;
	find_weights(trace, weights);
	for (uint32_t i = 0; i < trace->n_rank_costs; i++) {
		struct ep_rank_cost *cost = &trace->rank_costs[i];
		uint32_t row = weights->row_of[cost->path_idx];

		cost->us = weighed_us(&weights->weights[cost->is_of_calls][row], cost->us);
	}
	weights_finish(weights);
}
