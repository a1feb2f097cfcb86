// SPDX-License-Identifier: BSD-3-Clause
/* Makes rows of the tables from callgrind's costs of procedures, lines and calls. Names and sums are
 * callgrind's own; the time is in cycles, by KCachegrind's estimate. Only one thread runs this code. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"

struct exact {
	struct ep_trace *trace;
	struct ep_symbols *symbols;
	const struct ep_costs *costs;
	struct ep_attribution *out;
	uint32_t *symbol_of; /* (n_procedures) the symbol of each procedure */
	/* (n_modules + 2) the group of each module; NULL: each module is a group */
	const uint32_t *groups;
	struct ep_loop_cursor cursor;
};

/* Returns a name, or NULL for callgrind's ???, which means that it is not known. */
static const char *known(const char *name)
{
	return name && strcmp(name, "???") != 0 ? name : NULL;
}

/* Tells whether a name is an address (0x0000000000109060), which a procedure without a name has. */
static bool is_address(const char *name)
{
	return name[0] == '0' && name[1] == 'x';
}

int ep_exact_symbol(const struct ep_costs *costs, uint32_t procedure_idx,
	struct ep_symbols *symbols, uint32_t *out_idx)
{
	const struct ep_costs_procedure *procedure = &costs->procedures[procedure_idx];
	const struct ep_symbol symbol = {
		.name = procedure->name,
		.module_idx = procedure->module_idx,
		.file = known(procedure->file),
		.is_known = !is_address(procedure->name),
	};

	return ep_symbols_add(symbols, &symbol, out_idx);
}

int ep_exact_symbols(
	const struct ep_costs *costs, struct ep_symbols *symbols, uint32_t *out_symbol_of)
{
	for (uint32_t i = 0; i < costs->n_procedures; i++)
		if (ep_exact_symbol(costs, i, symbols, &out_symbol_of[i]))
			return -ENOMEM;
	return 0;
}

static void add_count(struct ep_event_sum *sum, uint64_t count, uint64_t cycles)
{
	sum->measured += (double)count;
	sum->measured_us += cycles;
}

/* Adds callgrind's counts to the measured sums of the events. The time in which an event was measured is the
 * estimated cycles. */
static int add_to_tally(const struct ep_trace *trace, struct ep_tally *tally,
	const struct ep_counts *self, const struct ep_floating_counts *floating)
{
	const struct ep_costs *costs = trace->exact;
	uint64_t cycles = ep_counts_cycles(self);

	if (ep_sums_reserve(&tally->sums, trace->n_events))
		return -ENOMEM;
	tally->self_us += cycles;
	for (int e = 0; e < EP_N_CALLGRIND_EVENTS; e++)
		add_count(&tally->sums.rows[costs->event_idx[e]], self->of[e], cycles);
	for (int e = 0; !costs->lacks_floating && e < EP_N_FLOATING_EVENTS; e++) {
		struct ep_event_sum *sum = &tally->sums.rows[costs->floating_idx[e]];
		double error = sqrt(sum->variance) + ep_floating_error(floating, e);

		add_count(sum, floating->of[e], cycles);
		sum->variance = error * error;
	}
	return 0;
}

static int add_counts(struct exact *x, uint32_t id, const struct ep_counts *self,
	const struct ep_floating_counts *floating)
{
	struct ep_tally *tally = ep_tally_of(x->out, id);

	return tally ? add_to_tally(x->trace, tally, self, floating) : -ENOMEM;
}

static void add_total(struct ep_tally *tally, const struct ep_counts *counts)
{
	tally->total_us += ep_counts_cycles(counts);
	ep_counts_add(&tally->with_calls, counts);
}

static int add_procedures(struct exact *x)
{
	for (uint32_t i = 0; i < x->costs->n_procedures; i++) {
		const struct ep_costs_procedure *procedure = &x->costs->procedures[i];

		if (add_counts(x, x->symbol_of[i], &procedure->self, &procedure->floating))
			return -ENOMEM;
		add_total(&x->out->tallies[x->symbol_of[i]], &procedure->inclusive);
	}
	for (uint32_t i = 0; i < x->costs->n_calls; i++) {
		const struct ep_costs_call *call = &x->costs->calls[i];
		struct ep_edge edge = { x->symbol_of[call->callee_idx],
			x->symbol_of[call->caller_idx], ep_counts_cycles(&call->counts) };

		if (ep_edge_add(x->out, &edge))
			return -ENOMEM;
	}
	return 0;
}

static int add_line(struct exact *x, const struct ep_costs_line *from)
{
	const char *file = known(from->file);
	struct ep_line line = { x->symbol_of[from->procedure_idx], file, file ? from->line : 0 };
	uint32_t id;

	if (ep_line_id(x->out, &line, &id) || add_counts(x, id, &from->self, &from->floating))
		return -ENOMEM;
	add_total(&x->out->tallies[id], &from->self);
	add_total(&x->out->tallies[id], &from->calls);
	return 0;
}

static int add_lines(struct exact *x)
{
	int rc = 0;

	for (uint32_t i = 0; i < x->costs->n_lines && !rc; i++)
		rc = add_line(x, &x->costs->lines[i]);
	return rc;
}

static uint32_t module_id(const struct exact *x, uint32_t procedure_idx)
{
	uint32_t module_idx = x->costs->procedures[procedure_idx].module_idx;

	if (module_idx == EP_NONE)
		module_idx = x->trace->n_modules;
	return x->groups ? x->groups[module_idx] : module_idx;
}

static uint64_t all_cycles(const struct ep_trace *trace)
{
	uint64_t all = ep_counts_cycles(&trace->exact->total);

	for (uint32_t i = 0; i < trace->n_costs; i++)
		all += trace->costs[i].cost.cpu_us;
	return all;
}

static void keep_below(struct ep_tally *tally, uint64_t all, const struct ep_counts *counts)
{
	if (tally->total_us > all)
		tally->total_us = all;
	for (int e = 0; e < EP_N_CALLGRIND_EVENTS; e++)
		if (tally->with_calls.of[e] > counts->of[e])
			tally->with_calls.of[e] = counts->of[e];
}

/* Adds the costs of modules, with the calls that they make into other modules. If the other module calls
 * back, callgrind counts the time twice; so the total is limited to that of the whole run. */
static int add_modules(struct exact *x)
{
	uint64_t all = all_cycles(x->trace);

	for (uint32_t i = 0; i < x->costs->n_procedures; i++) {
		const struct ep_costs_procedure *procedure = &x->costs->procedures[i];

		if (add_counts(x, module_id(x, i), &procedure->self, &procedure->floating))
			return -ENOMEM;
		add_total(&x->out->tallies[module_id(x, i)], &procedure->self);
	}
	for (uint32_t i = 0; i < x->costs->n_calls; i++) {
		const struct ep_costs_call *call = &x->costs->calls[i];
		uint32_t from = module_id(x, call->caller_idx);

		if (from != module_id(x, call->callee_idx))
			add_total(&x->out->tallies[from], &call->counts);
	}
	for (uint32_t i = 0; i < x->out->n_tallies; i++)
		keep_below(&x->out->tallies[i], all, &x->costs->total);
	return 0;
}

/* ---- loops ---- */

/* Finds the innermost loop of an instruction; EP_NONE: it is in no loop, or the loops are not known; the
 * procedure is then marked as not searched. */
static int find_loop(
	struct exact *x, const struct ep_costs_instruction *instruction, uint32_t *out_loop)
{
	uint32_t module_idx = x->costs->procedures[instruction->procedure_idx].module_idx;
	bool is_searched = false;

	*out_loop = EP_NONE;
	if (module_idx != EP_NONE && instruction->address != EP_COSTS_NO_ADDRESS &&
		ep_symbols_loop_near(x->symbols, module_idx, instruction->address, &x->cursor,
			out_loop, &is_searched))
		return -ENOMEM;
	if (!is_searched)
		ep_symbols_set_unsearched(x->symbols, x->symbol_of[instruction->procedure_idx]);
	return 0;
}

int ep_tally_add_exact(const struct ep_trace *trace, struct ep_tally *tally,
	const struct ep_costs_instruction *instruction)
{
	struct ep_floating_counts floating = { { 0 } };

	if (instruction->is_of_calls)
		return 0;
	if (instruction->floating_event < EP_N_FLOATING_EVENTS)
		floating.of[instruction->floating_event] = instruction->n_floating;
	return add_to_tally(trace, tally, &instruction->counts, &floating);
}

static int add_self_of(struct exact *x, uint32_t id, const struct ep_costs_instruction *instruction)
{
	struct ep_tally *tally = ep_tally_of(x->out, id);

	return tally ? ep_tally_add_exact(x->trace, tally, instruction) : -ENOMEM;
}

/* Adds an instruction to its loops. A loop's own costs are those of instructions in no inner loop; its total
 * includes inner loops and all calls. */
static int add_instruction(struct exact *x, const struct ep_costs_instruction *instruction)
{
	uint32_t loop, symbol_idx = x->symbol_of[instruction->procedure_idx];

	if (find_loop(x, instruction, &loop) ||
		add_self_of(x, ep_loop_id(loop, symbol_idx), instruction))
		return -ENOMEM;
	if (loop == EP_NONE)
		add_total(&x->out->tallies[ep_loop_id(loop, symbol_idx)], &instruction->counts);
	for (; loop != EP_NONE; loop = ep_symbols_loop_get(x->symbols, loop)->parent_idx) {
		struct ep_tally *tally = ep_tally_of(x->out, ep_loop_id(loop, EP_NONE));

		if (!tally)
			return -ENOMEM;
		add_total(tally, &instruction->counts);
	}
	return 0;
}

/* Adds up loops. Where a loop calls its own procedure again, callgrind counts these calls twice; so totals
 * are limited to the whole run. */
static int add_loops(struct exact *x)
{
	uint64_t all = all_cycles(x->trace);
	int rc = 0;

	for (uint32_t i = 0; i < x->costs->n_instructions && !rc; i++)
		rc = add_instruction(x, &x->costs->instructions[i]);
	for (uint32_t i = 0; i < x->out->n_tallies; i++)
		keep_below(&x->out->tallies[i], all, &x->costs->total);
	return rc;
}

int ep_attribute_exact(struct ep_trace *trace, struct ep_symbols *symbols,
	enum ep_dimension dimension, struct ep_attribution *out)
{
	static int (*const add[])(struct exact * x) = {
		[EP_BY_SYMBOL] = add_procedures,
		[EP_BY_LINE] = add_lines,
		[EP_BY_MODULE] = add_modules,
		[EP_BY_LOOP] = add_loops,
	};
	struct exact x = { .trace = trace, .symbols = symbols, .costs = trace->exact, .out = out };
	EP_AUTOFREE uint32_t *symbol_of = NULL;

	if (!trace->exact)
		return 0;
	x.symbol_of = symbol_of = calloc(trace->exact->n_procedures + 1, sizeof(*symbol_of));
	if (!symbol_of || ep_exact_symbols(trace->exact, symbols, symbol_of))
		return -ENOMEM;
	return add[dimension](&x);
}

int ep_attribute_exact_groups(
	struct ep_trace *trace, const uint32_t *groups, struct ep_attribution *out)
{
	struct exact x = { .trace = trace, .costs = trace->exact, .out = out, .groups = groups };

	return trace->exact ? add_modules(&x) : 0;
}
