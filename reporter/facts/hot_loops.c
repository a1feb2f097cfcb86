// SPDX-License-Identifier: BSD-3-Clause
/* For each procedure with much of the run's time, finds the loop that has most of the procedure's time. */
#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"

/* The loop with most of a procedure's time is looked for if the procedure has at least this share of the run's time. */
#define MUCH 0.1
/* How this loop accesses its data is analysed if the loop has more than this share of the procedure's time. */
#define MOST 0.5
/* How a loop of the report's table of loops accesses its data is analysed above this share of the run's time. */
#define LITTLE 0.01

struct hot_loops {
	struct ep_builder *builder;
	uint32_t *row_of; /* (n_symbols) row of a procedure with much time, else EP_NONE */
	/* its edges hold the time of a row (callee) that ended in a loop (caller) */
	struct ep_attribution ends;
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

/* Adds the time of a path to its loop. 0, or a negative errno where capstone is missing or memory is
 * exhausted. */
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

/* Adds the costs of one of callgrind's instructions to its loop, where costs by instruction are kept. */
static int add_instruction(struct hot_loops *h, const uint32_t *symbol_of,
	const struct ep_costs_instruction *instruction, struct ep_loop_cursor *cursor)
{
	const struct ep_trace *trace = h->builder->trace;
	uint32_t module_idx = trace->exact->procedures[instruction->procedure_idx].module_idx;
	struct ep_edge edge = { .callee = h->row_of[symbol_of[instruction->procedure_idx]],
		.us = ep_counts_cycles(&instruction->counts) };
	bool is_searched;
	int rc;

	if (edge.callee == EP_NONE || module_idx == EP_NONE || instruction->is_of_calls ||
		instruction->address == EP_COSTS_NO_ADDRESS)
		return 0;
	rc = ep_symbols_loop_near(h->builder->symbols, module_idx, instruction->address, cursor,
		&edge.caller, &is_searched);
	return rc || edge.caller == EP_NONE ? rc : ep_edge_add(&h->ends, &edge);
}

static int add_instructions(struct hot_loops *h)
{
	const struct ep_costs *costs = h->builder->trace->exact;
	EP_AUTOFREE uint32_t *symbol_of =
		ep_builder_calloc(h->builder, costs->n_procedures + 1, sizeof(*symbol_of));
	struct ep_loop_cursor cursor = { 0 };
	int rc = symbol_of ? ep_exact_symbols(costs, h->builder->symbols, symbol_of) : -ENOMEM;

	for (uint32_t i = 0; i < costs->n_instructions && !rc; i++)
		rc = add_instruction(h, symbol_of, &costs->instructions[i], &cursor);
	return rc;
}

static void take_best(struct hot_loops *h)
{
	struct ep_builder *b = h->builder;

	for (uint32_t i = 0; i < h->ends.n_edges; i++) {
		const struct ep_edge *edge = &h->ends.edges[i];
		struct ep_report_row *row = &b->report->procedures.rows[edge->callee];
		const struct ep_loop_place *loop = ep_symbols_loop_get(b->symbols, edge->caller);
		double ns = (double)(edge->us * ep_unit_ns(b->trace));
		double share = row->self_ns ? ns / (double)row->self_ns : 0;

		if (!loop->file || share <= row->loop_share)
			continue;
		row->loop_share = share < 1 ? share : 1;
		row->loop = ep_builder_text(b, "%s:%u", ep_base_name(loop->file), loop->line);
		row->loop_idx = edge->caller;
	}
	for (uint32_t i = 0; i < b->report->procedures.n_rows; i++) {
		struct ep_report_row *row = &b->report->procedures.rows[i];

		if (row->loop && row->loop_share > MOST)
			row->access = ep_symbols_loop_access(b->symbols, row->loop_idx);
	}
}

static void set_accesses_of_loops(struct ep_builder *b)
{
	struct ep_report_table *table = &b->report->loops;

	for (uint32_t i = 0; i < table->n_rows && table->rows[i].self_share > LITTLE; i++)
		if (table->rows[i].depth)
			table->rows[i].access =
				ep_symbols_loop_access(b->symbols, table->rows[i].loop_idx);
}

void ep_build_hot_loops(struct ep_builder *builder)
{
	const struct ep_trace *trace = builder->trace;
	struct hot_loops h = { .builder = builder };
	int rc = builder->out_of_memory ? -1 : find_rows(&h);

	if (!rc && trace->exact)
		rc = add_instructions(&h);
	for (uint32_t i = 0; i < trace->n_paths && !trace->exact && !rc; i++)
		if (trace->paths[i].cost_idx != EP_NONE)
			rc = add_path(&h, &trace->paths[i]);
	if (!rc)
		take_best(&h);
	if (!builder->out_of_memory)
		set_accesses_of_loops(builder);
	free(h.row_of);
	ep_attribution_finish(&h.ends);
}
