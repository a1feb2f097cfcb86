// SPDX-License-Identifier: BSD-3-Clause
/* Sums costs by procedure, line, module and loop, in one walk over the call tree. The cost of a path counts
 * in "self" of its innermost frame, and once in "total" of everything active on the path, so that recursion
 * does not count twice. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"

struct path_time {
	uint64_t us;
	double latency_us, squares;
};

struct attribution_walk {
	struct ep_trace *trace;
	struct ep_symbols *symbols;
	enum ep_dimension dimension;
	/* (n_modules + 2) the group of each module, if modules are counted in groups; NULL: each module is
	 * counted alone */
	const uint32_t *groups;
	struct ep_attribution *out;
	struct path_time *below;              /* (n_paths) cost of all paths below each path */
	uint32_t *first_child, *next_sibling; /* (n_paths) the tree's links */
	/* identifiers of the places on the path, outermost first */
	uint32_t *active;
	uint32_t n_active, active_capacity;
};

void ep_attribution_finish(struct ep_attribution *attribution)
{
	for (uint32_t i = 0; i < attribution->n_tallies; i++) {
		ep_sums_finish(&attribution->tallies[i].sums);
		free(attribution->tallies[i].ticks.rows);
	}
	free(attribution->tallies);
	free(attribution->lines);
	free(attribution->edges);
	ep_index_finish(&attribution->line_index);
	ep_index_finish(&attribution->edge_index);
	*attribution = (struct ep_attribution){ 0 };
}

/* ---- the places that a frame counts for ---- */

static bool same_line(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_line *a = &((const struct ep_attribution *)owner)->lines[idx], *b = key;

	return a->symbol_idx == b->symbol_idx && a->file == b->file && a->line == b->line;
}

int ep_line_id(struct ep_attribution *out, const struct ep_line *line, uint32_t *out_id)
{
	uint64_t hash =
		ep_hash_mix((uint64_t)line->symbol_idx << 32 | line->line, (uintptr_t)line->file);

	*out_id = ep_index_find(&out->line_index, hash, same_line, out, line);
	if (*out_id != EP_NONE)
		return 0;
	if (EP_ARRAY_RESERVE(out->lines, out->n_lines, out->line_capacity) ||
		ep_index_add(&out->line_index, hash, out->n_lines))
		return -ENOMEM;
	*out_id = out->n_lines++;
	out->lines[*out_id] = *line;
	return 0;
}

static uint32_t group_of(const struct attribution_walk *walk, const struct ep_symbol *symbol)
{
	bool is_made = symbol->kind == EP_SYMBOL_PROCEDURE || symbol->kind == EP_SYMBOL_RUN_TIME;
	uint32_t n = walk->trace->n_modules;

	return walk->groups[symbol->module_idx == EP_NONE ? n + is_made : symbol->module_idx];
}

static int frame_id(struct attribution_walk *walk, const struct ep_frame *frame, uint32_t *out_id)
{
	const struct ep_symbol *symbol = ep_symbols_get(walk->symbols, frame->symbol_idx);
	uint32_t module_idx = symbol->module_idx;
	struct ep_line line = { frame->symbol_idx, frame->file, frame->line };

	if (walk->dimension == EP_BY_LINE)
		return ep_line_id(walk->out, &line, out_id);
	if (walk->dimension == EP_BY_SYMBOL)
		*out_id = frame->symbol_idx;
	else if (walk->groups)
		*out_id = group_of(walk, symbol);
	else
		*out_id = module_idx == EP_NONE ? walk->trace->n_modules : module_idx;
	return 0;
}

struct ep_tally *ep_tally_of(struct ep_attribution *out, uint32_t id)
{
	while (out->n_tallies <= id) {
		if (EP_ARRAY_RESERVE(out->tallies, out->n_tallies, out->capacity))
			return NULL;
		out->tallies[out->n_tallies++] = (struct ep_tally){ 0 };
	}
	return &out->tallies[id];
}

/* ---- callers ---- */

static bool same_edge(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_edge *a = &((const struct ep_attribution *)owner)->edges[idx], *b = key;

	return a->callee == b->callee && a->caller == b->caller;
}

int ep_edge_add(struct ep_attribution *out, const struct ep_edge *edge)
{
	uint64_t hash = ep_hash_mix(edge->callee, edge->caller);
	uint32_t idx = ep_index_find(&out->edge_index, hash, same_edge, out, edge);

	if (idx != EP_NONE) {
		out->edges[idx].us += edge->us;
		return 0;
	}
	if (EP_ARRAY_RESERVE(out->edges, out->n_edges, out->edge_capacity) ||
		ep_index_add(&out->edge_index, hash, out->n_edges))
		return -ENOMEM;
	out->edges[out->n_edges++] = *edge;
	return 0;
}

static int add_edge(struct attribution_walk *walk, uint32_t callee, uint64_t us)
{
	struct ep_edge edge = { callee, EP_NONE, us };

	if (walk->dimension != EP_BY_SYMBOL || !us)
		return 0;
	if (walk->n_active)
		edge.caller = walk->active[walk->n_active - 1];
	return ep_edge_add(walk->out, &edge);
}

/* ---- the walk ---- */

static int resolve(struct attribution_walk *walk, uint32_t path_idx, bool is_return,
	const struct ep_frame **out_frames, uint32_t *out_n)
{
	const struct ep_path *path = &walk->trace->paths[path_idx];

	return ep_symbols_resolve(
		walk->symbols, path->module_idx, path->address, is_return, out_frames, out_n);
}

static int enter_place(struct attribution_walk *walk, uint32_t id, const struct path_time *time)
{
	struct ep_tally *tally;

	if (EP_ARRAY_RESERVE(walk->active, walk->n_active, walk->active_capacity))
		return -ENOMEM;
	tally = ep_tally_of(walk->out, id);
	if (!tally)
		return -ENOMEM;
	if (!tally->n_active++) {
		tally->total_us += time->us;
		tally->total_latency_us += time->latency_us;
		tally->total_squares += time->squares;
		if (add_edge(walk, id, time->us))
			return -ENOMEM;
	}
	walk->active[walk->n_active++] = id;
	return 0;
}

static uint32_t loop_around(const struct attribution_walk *walk, uint32_t loop)
{
	return ep_symbols_loop_get(walk->symbols, loop)->parent_idx;
}

/* Enters the loops that hold an address, the innermost one last. If there is no loop, the procedure's code
 * outside of loops is entered. */
static int enter_loops(
	struct attribution_walk *walk, uint32_t loop, uint32_t symbol, const struct path_time *time)
{
	uint32_t first = walk->n_active;

	if (loop == EP_NONE)
		return enter_place(walk, ep_loop_id(EP_NONE, symbol), time);
	for (; loop != EP_NONE; loop = loop_around(walk, loop))
		if (enter_place(walk, ep_loop_id(loop, EP_NONE), time))
			return -ENOMEM;
	for (uint32_t last = walk->n_active - 1; first < last; first++, last--) {
		uint32_t id = walk->active[first];

		walk->active[first] = walk->active[last];
		walk->active[last] = id;
	}
	return 0;
}

static int find_loop(
	struct attribution_walk *walk, uint32_t path_idx, bool is_return, uint32_t *out_loop)
{
	const struct ep_path *path = &walk->trace->paths[path_idx];

	return ep_symbols_loop(walk->symbols, path->module_idx, path->address, is_return, out_loop);
}

static int enter(struct attribution_walk *walk, uint32_t path_idx, bool is_return,
	const struct path_time *time)
{
	const struct ep_frame *frames;
	uint32_t n, id, loop;

	if (walk->dimension == EP_BY_LOOP && find_loop(walk, path_idx, is_return, &loop))
		return -ENOMEM;
	if (resolve(walk, path_idx, is_return, &frames, &n))
		return -ENOMEM;
	if (walk->dimension == EP_BY_LOOP)
		return enter_loops(walk, loop, frames[0].symbol_idx, time);
	while (n--)
		if (frame_id(walk, &frames[n], &id) || enter_place(walk, id, time))
			return -ENOMEM;
	return 0;
}

/* Returns how many places enter() has put onto the path. */
static int count_entered(
	struct attribution_walk *walk, uint32_t path_idx, bool is_return, uint32_t *out_n)
{
	const struct ep_frame *frames;
	uint32_t loop;

	if (walk->dimension != EP_BY_LOOP)
		return resolve(walk, path_idx, is_return, &frames, out_n);
	if (find_loop(walk, path_idx, is_return, &loop))
		return -ENOMEM;
	*out_n = loop == EP_NONE;
	for (; loop != EP_NONE; loop = loop_around(walk, loop))
		++*out_n;
	return 0;
}

static int leave(struct attribution_walk *walk, uint32_t path_idx, bool is_return)
{
	uint32_t n;

	if (count_entered(walk, path_idx, is_return, &n))
		return -ENOMEM;
	while (n--)
		walk->out->tallies[walk->active[--walk->n_active]].n_active--;
	return 0;
}

int ep_tally_add(
	struct ep_tally *tally, const struct ep_path_cost *cost, enum ep_dimension dimension)
{
	tally->self_us += cost->cost.cpu_us;
	tally->system_us += cost->system_us;
	tally->self_latency_us += cost->latency_us;
	tally->self_squares += cost->squares;
	tally->alone_us += cost->alone_us;
	tally->n_samples += cost->cost.n_samples;
	tally->mixing.n_mixed += cost->mixing[dimension].n_mixed;
	tally->mixing.n_away += cost->mixing[dimension].n_away;
	if (ep_tick_sums_add(&tally->ticks, &cost->ticks))
		return -ENOMEM;
	return ep_sums_add(&tally->sums, &cost->sums);
}

static int add_self(struct attribution_walk *walk, const struct ep_path_cost *cost)
{
	struct ep_tally *tally = &walk->out->tallies[walk->active[walk->n_active - 1]];

	return ep_tally_add(tally, cost, walk->dimension);
}

static int visit_leaf(struct attribution_walk *walk, uint32_t path_idx)
{
	uint32_t cost_idx = walk->trace->paths[path_idx].cost_idx;
	const struct ep_path_cost *cost;
	struct path_time time;

	if (cost_idx == EP_NONE)
		return 0;
	cost = &walk->trace->costs[cost_idx];
	time = (struct path_time){ cost->cost.cpu_us, cost->latency_us, cost->squares };
	if (enter(walk, path_idx, false, &time) || add_self(walk, cost))
		return -ENOMEM;
	return leave(walk, path_idx, false);
}

/* Walks the tree depth first, without recursion since stacks may be very deep. The root is not a caller, and
 * is therefore not entered as one. */
static int walk_tree(struct attribution_walk *walk)
{
	uint32_t at = 0, next;
	int rc = visit_leaf(walk, 0);

	while (!rc) {
		next = walk->first_child[at];
		if (next == EP_NONE) {
			while (at && (next = walk->next_sibling[at]) == EP_NONE) {
				at = walk->trace->paths[at].parent_idx;
				if (at && leave(walk, at, true))
					return -ENOMEM;
			}
			if (!at)
				break;
		}
		at = next;
		rc = visit_leaf(walk, at);
		if (!rc && walk->first_child[at] != EP_NONE)
			rc = enter(walk, at, true, &walk->below[at]);
	}
	return rc;
}

static void add_below(struct attribution_walk *walk, uint32_t parent_idx, uint32_t path_idx)
{
	uint32_t cost_idx = walk->trace->paths[path_idx].cost_idx;
	struct path_time *below = &walk->below[parent_idx], *more = &walk->below[path_idx];

	below->us += more->us;
	below->latency_us += more->latency_us;
	below->squares += more->squares;
	if (cost_idx == EP_NONE)
		return;
	below->us += walk->trace->costs[cost_idx].cost.cpu_us;
	below->latency_us += walk->trace->costs[cost_idx].latency_us;
	below->squares += walk->trace->costs[cost_idx].squares;
}

/* Tells whether neither a path nor the paths below it have time from samples, since callgrind's costs replace
 * the samples. Such a path needs no names. */
static bool leads_nowhere(const struct attribution_walk *walk, uint32_t path_idx)
{
	return !walk->below[path_idx].us && walk->trace->paths[path_idx].cost_idx == EP_NONE;
}

/* Links the children of each path. Children come after their parents in the array. The loop goes backwards,
 * so that each sum is complete when it is added to the parent's. */
static void link_tree(struct attribution_walk *walk)
{
	for (uint32_t i = 0; i < walk->trace->n_paths; i++)
		walk->first_child[i] = walk->next_sibling[i] = EP_NONE;
	for (uint32_t i = walk->trace->n_paths; i-- > 1;) {
		uint32_t parent = walk->trace->paths[i].parent_idx;

		if (walk->trace->exact && leads_nowhere(walk, i))
			continue;
		add_below(walk, parent, i);
		walk->next_sibling[i] = walk->first_child[parent];
		walk->first_child[parent] = i;
	}
}

static int attribute(struct attribution_walk *walk)
{
	struct ep_trace *trace = walk->trace;
	EP_AUTOFREE struct path_time *below = calloc(trace->n_paths, sizeof(*below));
	EP_AUTOFREE uint32_t *first_child = calloc(trace->n_paths, sizeof(*first_child));
	EP_AUTOFREE uint32_t *next_sibling = calloc(trace->n_paths, sizeof(*next_sibling));
	int rc;

	*walk->out = (struct ep_attribution){ 0 };
	if (!below || !first_child || !next_sibling)
		return -ENOMEM;
	walk->below = below;
	walk->first_child = first_child;
	walk->next_sibling = next_sibling;
	link_tree(walk);
	rc = walk_tree(walk);
	free(walk->active);
	return rc;
}

int ep_attribute(struct ep_trace *trace, struct ep_symbols *symbols, enum ep_dimension dimension,
	struct ep_attribution *out)
{
	struct attribution_walk walk = {
		.trace = trace,
		.symbols = symbols,
		.dimension = dimension,
		.out = out,
	};
	int rc = attribute(&walk);

	return rc ? rc : ep_attribute_exact(trace, symbols, dimension, out);
}

int ep_attribute_groups(struct ep_trace *trace, struct ep_symbols *symbols, const uint32_t *groups,
	struct ep_attribution *out)
{
	struct attribution_walk walk = {
		.trace = trace,
		.symbols = symbols,
		.dimension = EP_BY_MODULE,
		.groups = groups,
		.out = out,
	};
	int rc = attribute(&walk);

	return rc ? rc : ep_attribute_exact_groups(trace, groups, out);
}
