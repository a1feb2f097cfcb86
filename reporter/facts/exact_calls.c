// SPDX-License-Identifier: BSD-3-Clause
/* Builds the calls that callgrind knows: procedures, each with the procedures that it called. Callgrind keeps
 * no call paths: the further calls of a callee are known only as the sum over all its callers, so that no
 * call tree can be built without guessing. Only one thread runs this code. */
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"

#define MIN_SHARE 0.02 /* least share of the time of a procedure, and of a call, that is shown */

struct ranked {
	uint32_t idx; /* index of a procedure, or of a call */
	uint64_t cycles;
};

struct arcs {
	struct ep_builder *builder;
	const struct ep_costs *costs;
	struct ranked *procedures; /* (n_procedures) the largest inclusive cost first */
	struct ranked *calls;      /* (n_calls) sorted by caller, then largest first */
};

static int by_cycles(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->cycles != y->cycles)
		return x->cycles > y->cycles ? -1 : 1;
	return x->idx < y->idx ? -1 : x->idx > y->idx;
}

static int by_caller(const void *a, const void *b, void *context)
{
	const struct ep_costs *costs = context;
	const struct ranked *x = a, *y = b;
	uint32_t of_x = costs->calls[x->idx].caller_idx, of_y = costs->calls[y->idx].caller_idx;

	return of_x != of_y ? (of_x < of_y ? -1 : 1) : by_cycles(a, b);
}

static void rank(struct arcs *arcs)
{
	const struct ep_costs *costs = arcs->costs;

	for (uint32_t i = 0; i < costs->n_procedures; i++) {
		const struct ep_counts *inclusive = &costs->procedures[i].inclusive;

		arcs->procedures[i] = (struct ranked){ i, ep_counts_cycles(inclusive) };
	}
	for (uint32_t i = 0; i < costs->n_calls; i++)
		arcs->calls[i] = (struct ranked){ i, ep_counts_cycles(&costs->calls[i].counts) };
	qsort(arcs->procedures, costs->n_procedures, sizeof(*arcs->procedures), by_cycles);
	qsort_r(arcs->calls, costs->n_calls, sizeof(*arcs->calls), by_caller, (void *)costs);
}

/* Returns the index of a caller's first call; n_calls where it made none. */
static uint32_t first_call_of(const struct arcs *arcs, uint32_t caller_idx)
{
	uint32_t low = 0, high = arcs->costs->n_calls;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (arcs->costs->calls[arcs->calls[middle].idx].caller_idx < caller_idx)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_large(const struct arcs *arcs, uint64_t cycles)
{
	return cycles && (double)cycles >= arcs->builder->report->least_call_share *
						   (double)arcs->builder->report->sampled_ns;
}

static void put(struct arcs *arcs, struct ep_report_call row)
{
	struct ep_report *report = arcs->builder->report;
	EP_AUTOFREE char *short_name = ep_name_shorten(row.name);

	if (short_name)
		row.short_name = ep_builder_text(arcs->builder, "%s", short_name);
	row.total_share = (double)row.total_ns / (double)report->sampled_ns;
	row.self_share = (double)row.self_ns / (double)report->sampled_ns;
	if (EP_ARRAY_RESERVE(report->calls, report->n_calls, report->call_capacity))
		arcs->builder->out_of_memory = true;
	else
		report->calls[report->n_calls++] = row;
}

static void put_procedure(struct arcs *arcs, const struct ranked *ranked)
{
	const struct ep_costs_procedure *procedure = &arcs->costs->procedures[ranked->idx];

	put(arcs, (struct ep_report_call){ .name = procedure->name,
			  .self_ns = ep_counts_cycles(&procedure->self),
			  .total_ns = ranked->cycles });
}

/* Appends a procedure with its large calls. A procedure without large calls is left out, since the table of
 * procedures tells as much. */
static void put_with_callees(struct arcs *arcs, const struct ranked *ranked)
{
	uint32_t n = arcs->costs->n_calls, at = first_call_of(arcs, ranked->idx), first = at;

	for (; at < n; at++) {
		const struct ep_costs_call *call = &arcs->costs->calls[arcs->calls[at].idx];

		if (call->caller_idx != ranked->idx || !is_large(arcs, arcs->calls[at].cycles))
			break;
		if (at == first)
			put_procedure(arcs, ranked);
		put(arcs, (struct ep_report_call){ .depth = 1,
				  .name = arcs->costs->procedures[call->callee_idx].name,
				  .n_calls = call->n_calls,
				  .total_ns = arcs->calls[at].cycles });
	}
}

void ep_build_exact_calls(struct ep_builder *builder)
{
	const struct ep_costs *costs = builder->trace->exact;
	EP_AUTOFREE struct ranked *procedures =
		ep_builder_calloc(builder, costs->n_procedures, sizeof(*procedures));
	EP_AUTOFREE struct ranked *calls =
		ep_builder_calloc(builder, costs->n_calls, sizeof(*calls));
	struct arcs arcs = { builder, costs, procedures, calls };

	builder->report->least_call_share = builder->options->all_calls ? 0 : MIN_SHARE;
	if (!procedures || !calls || !builder->report->sampled_ns)
		return;
	rank(&arcs);
	for (uint32_t i = 0; i < costs->n_procedures && is_large(&arcs, procedures[i].cycles); i++)
		put_with_callees(&arcs, &procedures[i]);
}
