// SPDX-License-Identifier: BSD-3-Clause
/* Builds the call tree by procedure, which shows from which callers the time came. Recursive calls share a
 * row; calls that pass nearly all their time on share a row with their callee; rows below MIN_SHARE, and rows
 * that may be chance, are left out. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"

#define MIN_SHARE 0.02
#define MIN_SAMPLES 3 /* a row with fewer samples may be chance */
#define MAX_MIN_SHARE 0.1
#define MAX_DEPTH 20
#define MAX_NEST 32     /* the most nested loops of a procedure */
#define PASSES_ON 0.995 /* if a callee has this share of a call's time, both share a row */

struct calls {
	struct ep_builder *builder;
	struct ep_call *rows;
	uint32_t n_rows, capacity;
	struct ep_index index;
	uint32_t *call_of; /* (n_paths) the row under which a path's callees are added */
	uint32_t *leaf_of; /* (n_paths) the row in which a path's samples ended */
};

static bool same_call(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_call *a = &((const struct calls *)owner)->rows[idx], *b = key;

	return a->parent == b->parent && a->symbol_idx == b->symbol_idx &&
	       a->loop_idx == b->loop_idx;
}

/* Tells whether the caller, whose row is *inout_idx, is the procedure itself or one of its loops: the call is
 * a recursion. Then *inout_idx becomes the procedure's own row. */
static bool is_recursion(const struct calls *calls, uint32_t symbol_idx, uint32_t *inout_idx)
{
	uint32_t at = *inout_idx;

	while (at && at < calls->n_rows && calls->rows[at].symbol_idx == symbol_idx) {
		*inout_idx = at;
		if (calls->rows[at].loop_idx == EP_NONE)
			return true;
		at = calls->rows[at].parent;
	}
	return false;
}

/* Finds or adds a callee's row. loop_idx: a loop of the procedure; EP_NONE: the procedure itself. */
static int callee_of(struct calls *calls, uint32_t parent, uint32_t symbol_idx, uint32_t loop_idx,
	uint32_t *out_idx)
{
	struct ep_call call = {
		.symbol_idx = symbol_idx,
		.loop_idx = loop_idx,
		.parent = parent,
		.first_child = EP_NONE,
		.next_sibling = EP_NONE,
	};
	uint64_t hash = ep_hash_mix(parent, (uint64_t)loop_idx << 32 | symbol_idx);

	*out_idx = parent;
	if (loop_idx == EP_NONE && is_recursion(calls, symbol_idx, out_idx))
		return 0;
	*out_idx = ep_index_find(&calls->index, hash, same_call, calls, &call);
	if (*out_idx != EP_NONE)
		return 0;
	if (EP_ARRAY_RESERVE(calls->rows, calls->n_rows, calls->capacity) ||
		ep_index_add(&calls->index, hash, calls->n_rows))
		return -ENOMEM;
	*out_idx = calls->n_rows++;
	calls->rows[*out_idx] = call;
	return 0;
}

/* Descends from a procedure's row to the rows of its loops that hold the address, outermost loop first. */
static int follow_loops(
	struct calls *calls, uint32_t innermost_idx, uint32_t symbol_idx, uint32_t *out_idx)
{
	struct ep_symbols *symbols = calls->builder->symbols;
	uint32_t nest[MAX_NEST], n = 0;

	for (uint32_t at = innermost_idx; at != EP_NONE && n < MAX_NEST;
		at = ep_symbols_loop_get(symbols, at)->parent_idx)
		if (ep_symbols_loop_get(symbols, at)->symbol_idx == symbol_idx)
			nest[n++] = at;
	while (n--)
		if (callee_of(calls, *out_idx, symbol_idx, nest[n], out_idx))
			return -ENOMEM;
	return 0;
}

static int find_loop(
	struct calls *calls, const struct ep_path *path, bool is_return, uint32_t *out_idx)
{
	*out_idx = EP_NONE;
	if (!calls->builder->options->calls_have_loops || path->module_idx == EP_NONE)
		return 0;
	return ep_symbols_loop(calls->builder->symbols, path->module_idx, path->address, is_return,
		       out_idx) == -ENOMEM
		       ? -ENOMEM
		       : 0;
}

/* Descends along the frames of a path, outermost first, from the row of its caller. */
static int follow(struct calls *calls, uint32_t path_idx, bool is_return, uint32_t *out_idx)
{
	const struct ep_path *path = &calls->builder->trace->paths[path_idx];
	const struct ep_frame *frames;
	uint32_t n, loop_idx;

	*out_idx = path_idx ? calls->call_of[path->parent_idx] : 0;
	if (find_loop(calls, path, is_return, &loop_idx) ||
		ep_symbols_resolve(calls->builder->symbols, path->module_idx, path->address,
			is_return, &frames, &n))
		return -ENOMEM;
	while (n--)
		if (callee_of(calls, *out_idx, frames[n].symbol_idx, EP_NONE, out_idx) ||
			follow_loops(calls, loop_idx, frames[n].symbol_idx, out_idx))
			return -ENOMEM;
	return 0;
}

static int add_path(struct calls *calls, uint32_t path_idx, bool has_callees)
{
	const struct ep_trace *trace = calls->builder->trace;
	uint32_t cost_idx = trace->paths[path_idx].cost_idx, at;

	if (cost_idx != EP_NONE) {
		if (follow(calls, path_idx, false, &at))
			return -ENOMEM;
		calls->rows[at].self_us += trace->costs[cost_idx].cost.cpu_us;
		calls->leaf_of[path_idx] = at;
	}
	if (path_idx && has_callees)
		return follow(calls, path_idx, true, &calls->call_of[path_idx]);
	return 0;
}

static int gather(struct calls *calls)
{
	const struct ep_trace *trace = calls->builder->trace;
	EP_AUTOFREE bool *has_callees = calloc(trace->n_paths, sizeof(*has_callees));
	uint32_t root;

	if (!has_callees || callee_of(calls, EP_NONE - 1, EP_NONE, EP_NONE, &root))
		return -ENOMEM;
	for (uint32_t i = 1; i < trace->n_paths; i++)
		has_callees[trace->paths[i].parent_idx] = true;
	for (uint32_t i = 0; i < trace->n_paths; i++)
		if (add_path(calls, i, has_callees[i]))
			return -ENOMEM;
	return 0;
}

static int by_total(const void *a, const void *b, void *context)
{
	const struct calls *calls = context;
	const struct ep_call *x = &calls->rows[*(const uint32_t *)a],
			     *y = &calls->rows[*(const uint32_t *)b];

	if (x->total_us != y->total_us)
		return x->total_us < y->total_us ? -1 : 1;
	if (x->symbol_idx != y->symbol_idx)
		return x->symbol_idx > y->symbol_idx ? -1 : 1;
	return x->loop_idx > y->loop_idx ? -1 : x->loop_idx < y->loop_idx;
}

/* Links the rows to their parents. They are linked in order of time, the smallest first, and each is put
 * before its siblings, so that the largest child comes first. */
static int link_calls(struct calls *calls)
{
	EP_AUTOFREE uint32_t *order = calloc(calls->n_rows, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (uint32_t i = calls->n_rows; i-- > 0;) {
		calls->rows[i].total_us += calls->rows[i].self_us;
		if (i)
			calls->rows[calls->rows[i].parent].total_us += calls->rows[i].total_us;
		order[i] = i;
	}
	qsort_r(order, calls->n_rows, sizeof(*order), by_total, calls);
	for (uint32_t i = 0; i < calls->n_rows; i++) {
		struct ep_call *call = &calls->rows[order[i]];

		if (!order[i])
			continue;
		call->next_sibling = calls->rows[call->parent].first_child;
		calls->rows[call->parent].first_child = order[i];
	}
	return 0;
}

static const char *name_of(const struct calls *calls, uint32_t idx)
{
	const struct ep_call *call = &calls->rows[idx];
	struct ep_symbols *symbols = calls->builder->symbols;

	if (call->loop_idx != EP_NONE)
		return ep_symbols_loop_get(symbols, call->loop_idx)->name;
	return ep_symbols_get(symbols, call->symbol_idx)->short_name;
}

/* Returns the callee that has nearly all of the call's time, or EP_NONE. */
static uint32_t passes_on_to(const struct calls *calls, uint32_t idx)
{
	uint32_t child = calls->rows[idx].first_child;

	/* a user who asked for loops wants to see each row */
	if (child == EP_NONE || calls->rows[child].loop_idx != EP_NONE ||
		calls->rows[idx].loop_idx != EP_NONE ||
		(double)calls->rows[child].total_us < PASSES_ON * (double)calls->rows[idx].total_us)
		return EP_NONE;
	return child;
}

static void set_cost(const struct calls *calls, uint32_t idx, struct ep_report_call *row)
{
	uint64_t unit_ns = ep_unit_ns(calls->builder->trace);
	double all = (double)calls->builder->report->sampled_ns;

	row->is_loop = calls->rows[idx].loop_idx != EP_NONE;
	row->total_ns = calls->rows[idx].total_us * unit_ns;
	row->self_ns = calls->rows[idx].self_us * unit_ns;
	row->total_share = (double)row->total_ns / all;
	row->self_share = (double)row->self_ns / all;
}

/* Appends a row. Returns 0, or -ENOMEM, and then also sets the builder's out_of_memory. */
static int append(struct calls *calls, const struct ep_report_call *row)
{
	struct ep_report *report = calls->builder->report;

	if (EP_ARRAY_RESERVE(report->calls, report->n_calls, report->call_capacity)) {
		calls->builder->out_of_memory = true;
		return -ENOMEM;
	}
	report->calls[report->n_calls++] = *row;
	return 0;
}

static void put_call(struct calls *calls, uint32_t idx, uint32_t depth)
{
	struct ep_report_call row = { .depth = depth, .name = name_of(calls, idx) };

	for (uint32_t next; (next = passes_on_to(calls, idx)) != EP_NONE; idx = next) {
		row.name = name_of(calls, next);
		row.through = row.n_through++ ? row.through : name_of(calls, idx);
	}
	set_cost(calls, idx, &row);
	if (row.total_share < calls->builder->report->least_call_share || depth > MAX_DEPTH)
		return;
	if (append(calls, &row))
		return;
	for (uint32_t child = calls->rows[idx].first_child; child != EP_NONE;
		child = calls->rows[child].next_sibling)
		put_call(calls, child, depth + 1);
}

static double least_share(uint64_t n_samples)
{
	double chance = n_samples ? MIN_SAMPLES / (double)n_samples : 0;

	return chance < MIN_SHARE ? MIN_SHARE : chance > MAX_MIN_SHARE ? MAX_MIN_SHARE : chance;
}

/* Appends all calls depth first, without recursion since paths may be very deep. */
static void put_all_calls(struct calls *calls)
{
	uint32_t at = calls->rows[0].first_child, depth = 0;

	while (at != EP_NONE && at) {
		struct ep_report_call row = { .depth = depth, .name = name_of(calls, at) };

		set_cost(calls, at, &row);
		if (append(calls, &row))
			return;
		if (calls->rows[at].first_child != EP_NONE) {
			at = calls->rows[at].first_child;
			depth++;
			continue;
		}
		while (at && calls->rows[at].next_sibling == EP_NONE) {
			at = calls->rows[at].parent;
			depth--;
		}
		at = at ? calls->rows[at].next_sibling : 0;
	}
}

static void put_calls(struct calls *calls)
{
	for (uint32_t i = calls->rows[0].first_child; i != EP_NONE; i = calls->rows[i].next_sibling)
		put_call(calls, i, 0);
}

void ep_build_calls(struct ep_builder *builder)
{
	struct calls calls = { .builder = builder };

	if (builder->trace->exact) {
		ep_build_exact_calls(builder);
		return;
	}
	if (!builder->options->all_calls)
		builder->report->least_call_share = least_share(builder->report->n_samples);
	calls.call_of = ep_builder_calloc(builder, builder->trace->n_paths, sizeof(*calls.call_of));
	calls.leaf_of = ep_builder_calloc(builder, builder->trace->n_paths, sizeof(*calls.leaf_of));
	if (!calls.call_of || !calls.leaf_of || gather(&calls) || link_calls(&calls))
		builder->out_of_memory = true;
	else if (builder->report->sampled_ns) {
		(builder->options->all_calls ? put_all_calls : put_calls)(&calls);
		const struct ep_call_tree tree = { calls.rows, calls.n_rows, calls.leaf_of };

		ep_build_activities(builder, &tree);
		ep_build_serial_parts(builder, &tree);
	}
	free(calls.rows);
	free(calls.call_of);
	free(calls.leaf_of);
	ep_index_finish(&calls.index);
}
