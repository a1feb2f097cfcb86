// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/load/reduced_ranks.h"

#include <errno.h>

#include "reporter/load/rank_costs.h"
#include "reporter/load/reduced_private.h"

#define ROOM 64 /* the bytes of a record without its columns */

static struct ep_process_key key_of(const struct ep_trace *trace, const struct ep_rank_cost *cost)
{
	return trace->processes[trace->threads[cost->thread_idx].process_idx].key;
}

enum { RANK_ROWS = 1024 }; /* the most rows of a record, each in two columns */

/* Returns how many rows from the first on have the same thread and kind. */
static uint32_t n_alike(const struct ep_rank_cost *costs, uint32_t n)
{
	uint32_t i = 1;

	while (i < n && i < RANK_ROWS && costs[i].thread_idx == costs->thread_idx &&
		costs[i].is_of_calls == costs->is_of_calls)
		i++;
	return i;
}

static void put_rank_columns(struct ep_reduced_out *out, const struct ep_trace *trace,
	const struct ep_rank_cost *costs, uint32_t n)
{
	struct ep_fields fields = ep_reduced_out_record(out, EP_REDUCED_RANK_COLUMNS,
		/* a row's two numbers take at most 5 and 10 bytes */
		key_of(trace, costs), ROOM + n * 15);
	uint32_t path_idx = 0;

	ep_wire_u(fields.out,
		(uint64_t)trace->threads[costs->thread_idx].number << 1 | costs->is_of_calls);
	ep_wire_u(fields.out, n);
	for (uint32_t i = 0; i < n; i++) {
		ep_wire_u(fields.out, costs[i].path_idx - path_idx);
		path_idx = costs[i].path_idx;
	}
	for (uint32_t i = 0; i < n; i++)
		ep_wire_u(fields.out, costs[i].us);
}

/* Writes a row as in format 1.2: rank costs from such a file lack some times, and must stay recognizable. */
static void put_plain_rank_cost(
	struct ep_reduced_out *out, const struct ep_trace *trace, const struct ep_rank_cost *cost)
{
	struct ep_fields fields =
		ep_reduced_out_record(out, EP_REDUCED_RANK_COSTS, key_of(trace, cost), ROOM);

	ep_wire_u(fields.out, trace->threads[cost->thread_idx].number);
	ep_wire_u(fields.out, cost->path_idx);
	ep_wire_u(fields.out, cost->us);
}

void ep_reduced_put_ranks(struct ep_reduced_out *out, struct ep_trace *trace)
{
	uint32_t n;

	ep_rank_costs_sort(trace);
	for (uint32_t i = 0; i < trace->n_rank_costs; i += n) {
		const struct ep_rank_cost *costs = &trace->rank_costs[i];

		n = trace->has_plain_rank_costs ? 1 : n_alike(costs, trace->n_rank_costs - i);
		if (trace->has_plain_rank_costs)
			put_plain_rank_cost(out, trace, costs);
		else
			put_rank_columns(out, trace, costs, n);
	}
}

static uint64_t take_rank_us(struct ep_cursor *in)
{
	uint64_t us = ep_get_u(in);

	in->bad |= us > INT64_MAX; /* times are kept in 63 bits */
	return in->bad ? 0 : us;
}

int ep_reduced_take_rank_cost(struct ep_taking *t)
{
	struct ep_rank_cost cost = { 0 };
	uint32_t number;

	ep_field_u32(&t->fields, &number);
	cost.path_idx = ep_taking_path(t, ep_get_u32(&t->fields.in));
	cost.us = take_rank_us(&t->fields.in);
	if (t->fields.in.bad)
		return -EBADMSG;
	t->trace->has_plain_rank_costs = true;
	if (ep_taking_thread(t, number, &cost.thread_idx))
		return -ENOMEM;
	return ep_rank_cost_append(t->trace, &cost);
}

static int reserve(struct ep_trace *trace, uint32_t n)
{
	while (trace->rank_cost_capacity - trace->n_rank_costs < n)
		if (EP_ARRAY_RESERVE(trace->rank_costs, trace->rank_cost_capacity,
			    trace->rank_cost_capacity))
			return -ENOMEM;
	return 0;
}

/* Reads a record with many rows: a job has a thousand rows for each rank, and more. The cursor is a local
 * copy to which nothing else can point, so that it stays in registers. */
int ep_reduced_take_rank_columns(struct ep_taking *t)
{
	struct ep_cursor in = t->fields.in;
	uint64_t head = ep_get_u(&in);
	uint32_t n = ep_get_u32(&in), path = 0;
	struct ep_rank_cost cost = { .is_of_calls = head & 1 }, *costs;

	if (in.bad || head >> 1 > UINT32_MAX || n > ep_cursor_left(&in) / 2)
		return -EBADMSG;
	if (ep_taking_thread(t, (uint32_t)(head >> 1), &cost.thread_idx) || reserve(t->trace, n))
		return -ENOMEM;
	costs = t->trace->rank_costs + t->trace->n_rank_costs;
	for (uint32_t i = 0; i < n; i++) {
		path += ep_get_u32(&in);
		cost.path_idx = ep_taking_path(t, path);
		costs[i] = cost;
	}
	for (uint32_t i = 0; i < n; i++)
		costs[i].us = take_rank_us(&in);
	t->trace->n_rank_costs += n;
	t->fields.in = in;
	return in.bad ? -EBADMSG : 0;
}
