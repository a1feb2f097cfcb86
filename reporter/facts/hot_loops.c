// SPDX-License-Identifier: BSD-3-Clause
/* Finds, for procedures with much of the run's time, the loop that has most of theirs. */
#include <stdlib.h>

#include "reporter/facts/builder.h"

/* The share of the run's time from which the report has a sentence about a procedure. */
#define MUCH 0.1

struct hot_loops {
	struct ep_builder *builder;
	uint32_t *row_of; /* (n_symbols) row of a procedure with much time, else EP_NONE */
	struct ep_attribution ends; /* its edges: what of a row's time ended in a loop */
};

static int find_rows(struct hot_loops *h)
{
	const struct ep_report_table *table = &h->builder->report->procedures;
	uint32_t n = ep_symbols_count(h->builder->symbols), n_found = 0;

	h->row_of = ep_builder_calloc(h->builder, n + 1, sizeof(*h->row_of));
	if (!h->row_of)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		h->row_of[i] = EP_NONE;
	for (uint32_t i = 0; i < table->n_rows; i++) {
		if (table->rows[i].self_share < MUCH || !ep_report_row_is_place(&table->rows[i]))
			continue;
		h->row_of[table->rows[i].symbol_idx] = i;
		n_found++;
	}
	return n_found ? 0 : -1;
}

/* Adds the loops of a path. 0, or a negative errno where there is no capstone or no memory. */
static int add_path(struct hot_loops *h, const struct ep_path *path)
{
	const struct ep_path_cost *cost = &h->builder->trace->costs[path->cost_idx];
	struct ep_edge edge = { .us = cost->cost.cpu_us };
	const struct ep_frame *frames;
	uint32_t n;
	int rc = ep_symbols_resolve(
		h->builder->symbols, path->module_idx, path->address, false, &frames, &n);

	if (rc)
		return rc;
	edge.callee = h->row_of[frames[0].symbol_idx];
	if (edge.callee == EP_NONE)
		return 0;
	rc = ep_symbols_loop(
		h->builder->symbols, path->module_idx, path->address, false, &edge.caller);
	if (rc || edge.caller == EP_NONE)
		return rc;
	return ep_edge_add(&h->ends, &edge);
}

static void take_best(struct hot_loops *h)
{
	struct ep_builder *b = h->builder;

	for (uint32_t i = 0; i < h->ends.n_edges; i++) {
		const struct ep_edge *edge = &h->ends.edges[i];
		struct ep_report_row *row = &b->report->procedures.rows[edge->callee];
		const struct ep_loop_place *loop = ep_symbols_loop_get(b->symbols, edge->caller);
		double share = row->self_ns ? (double)edge->us * 1000 / (double)row->self_ns : 0;

		if (!loop->file || share <= row->loop_share)
			continue;
		row->loop_share = share < 1 ? share : 1;
		row->loop = ep_builder_text(b, "%s:%u", ep_base_name(loop->file), loop->line);
	}
}

void ep_build_hot_loops(struct ep_builder *builder)
{
	const struct ep_trace *trace = builder->trace;
	struct hot_loops h = { .builder = builder };
	int rc = trace->exact || builder->out_of_memory ? -1 : find_rows(&h);

	for (uint32_t i = 0; i < trace->n_paths && !rc; i++)
		if (trace->paths[i].cost_idx != EP_NONE)
			rc = add_path(&h, &trace->paths[i]);
	if (!rc)
		take_best(&h);
	free(h.row_of);
	ep_attribution_finish(&h.ends);
}
