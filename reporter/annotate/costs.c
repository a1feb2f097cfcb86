// SPDX-License-Identifier: BSD-3-Clause
/* Adds up samples and their counts by line, instruction and loop. */
#include <errno.h>

#include "reporter/annotate/annotator.h"

static int reserve(struct ep_place_tallies *places, uint32_t id)
{
	while (places->n <= id) {
		if (EP_ARRAY_RESERVE(places->last_path, places->n, places->capacity))
			return -ENOMEM;
		places->last_path[places->n++] = 0;
	}
	return ep_tally_of(&places->tallies, id) ? 0 : -ENOMEM;
}

/* A leaf of the call tree, whose time is added to all places on its path. */
struct leaf {
	uint32_t path_idx;
	const struct ep_path_cost *cost;
};

static int add_self(struct ep_place_tallies *places, uint32_t id, const struct leaf *leaf)
{
	if (id == EP_NONE)
		return 0;
	if (reserve(places, id))
		return -ENOMEM;
	return ep_tally_add(&places->tallies.tallies[id], leaf->cost, places->dimension);
}

/* Adds a leaf's time once, even if a recursion passes the place several times. */
static int add_total(struct ep_place_tallies *places, uint32_t id, const struct leaf *leaf)
{
	if (id == EP_NONE)
		return 0;
	if (reserve(places, id))
		return -ENOMEM;
	if (places->last_path[id] != leaf->path_idx + 1)
		places->tallies.tallies[id].total_us += leaf->cost->cost.cpu_us;
	places->last_path[id] = leaf->path_idx + 1;
	return 0;
}

static int line_of(struct ep_annotator *a, const struct ep_frame *frame, uint32_t *out_id)
{
	return ep_line_id(&a->lines.tallies,
		&(struct ep_line){ frame->symbol_idx, frame->file, frame->line }, out_id);
}

static int add_totals(struct ep_annotator *a, const struct leaf *leaf,
	const struct ep_own_frames *frames, uint32_t instruction)
{
	uint32_t line, loop = frames->loop_idx;

	if (add_total(&a->all, 0, leaf) || add_total(&a->instructions, instruction, leaf))
		return -ENOMEM;
	for (uint32_t i = 0; i < frames->n; i++)
		if (line_of(a, &frames->rows[i], &line) || add_total(&a->lines, line, leaf))
			return -ENOMEM;
	for (; loop != EP_NONE; loop = a->out->loops[loop].parent_idx)
		if (add_total(&a->loops, loop, leaf))
			return -ENOMEM;
	return 0;
}

static int add_selves(struct ep_annotator *a, const struct leaf *leaf,
	const struct ep_own_frames *frames, uint32_t instruction)
{
	uint32_t line;

	if (line_of(a, &frames->rows[0], &line) || add_self(&a->all, 0, leaf) ||
		add_self(&a->lines, line, leaf) || add_self(&a->instructions, instruction, leaf))
		return -ENOMEM;
	return add_self(&a->loops, frames->loop_idx, leaf);
}

/* Tells whether the caller of below_idx made a call, so that the caller's address is where the call returns
 * to. The kernel is entered without a call, at the very instruction that is the caller's address. */
static bool is_called(const struct ep_trace *trace, uint32_t below_idx)
{
	uint32_t module_idx = trace->paths[below_idx].module_idx;

	return module_idx == EP_NONE || !trace->modules[module_idx].is_kernel;
}

/* Adds a leaf's time to a place on its path. at_idx is the leaf itself, or the caller of below_idx. */
static int add_at(
	struct ep_annotator *a, const struct leaf *leaf, uint32_t at_idx, uint32_t below_idx)
{
	const struct ep_path *path = &a->builder.trace->paths[at_idx];
	bool is_leaf = at_idx == leaf->path_idx;
	bool is_return = !is_leaf && is_called(a->builder.trace, below_idx);
	struct ep_own_frames frames;
	uint32_t instruction;

	if (ep_annotator_look(a, path->module_idx, path->address, is_return, &frames))
		return -ENOMEM;
	if (!frames.n)
		return 0;
	instruction = ep_annotator_instruction(a, path->module_idx, path->address - is_return);
	if (is_leaf && add_selves(a, leaf, &frames, instruction))
		return -ENOMEM;
	return add_totals(a, leaf, &frames, instruction);
}

static int add_leaf(struct ep_annotator *a, uint32_t path_idx)
{
	const struct ep_trace *trace = a->builder.trace;
	struct leaf leaf = { path_idx, &trace->costs[trace->paths[path_idx].cost_idx] };
	uint32_t below = path_idx;
	int rc = 0;

	for (uint32_t at = path_idx; at && !rc; at = trace->paths[at].parent_idx) {
		rc = add_at(a, &leaf, at, below);
		below = at;
	}
	return rc;
}

int ep_annotator_add_costs(struct ep_annotator *a)
{
	const struct ep_trace *trace = a->builder.trace;
	int rc = 0;

	if (trace->exact)
		return ep_annotator_add_exact_costs(a);
	for (uint32_t i = 0; i < trace->n_paths && !rc; i++)
		if (trace->paths[i].cost_idx != EP_NONE)
			rc = add_leaf(a, i);
	return rc;
}
