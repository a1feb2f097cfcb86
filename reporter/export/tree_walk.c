// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/export/tree_walk.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"

static int resolve(struct ep_tree_walk *walk, uint32_t path_idx, bool is_return,
	const struct ep_frame **out_frames, uint32_t *out_n)
{
	const struct ep_path *path = &walk->trace->paths[path_idx];

	return ep_symbols_resolve(
		walk->symbols, path->module_idx, path->address, is_return, out_frames, out_n);
}

/* ---- the frames of a path ---- */

static int add_frames(struct ep_tree_walk *walk, uint32_t path_idx, bool is_return, uint32_t *n)
{
	const struct ep_frame *frames;
	uint32_t n_more;

	if (resolve(walk, path_idx, is_return, &frames, &n_more))
		return -ENOMEM;
	for (uint32_t i = 0; i < n_more; i++) {
		if (EP_ARRAY_RESERVE(walk->frames, *n, walk->frame_capacity))
			return -ENOMEM;
		walk->frames[(*n)++] = (struct ep_walk_frame){ path_idx, is_return, frames[i] };
	}
	return 0;
}

int ep_tree_walk_frames(struct ep_tree_walk *walk, uint32_t path_idx,
	const struct ep_walk_frame **out_frames, uint32_t *out_n)
{
	uint32_t at = path_idx, n = 0;

	do {
		if (add_frames(walk, at, at != path_idx, &n))
			return -ENOMEM;
		at = walk->trace->paths[at].parent_idx;
	} while (at != EP_NONE && at != EP_PATH_ROOT);
	*out_frames = walk->frames;
	*out_n = n;
	return 0;
}

/* ---- the tree ---- */

static bool same_node(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_walk_node *a = &((const struct ep_tree_walk *)owner)->nodes[idx], *b = key;

	return a->parent == b->parent && a->symbol_idx == b->symbol_idx && a->file == b->file &&
	       a->line == b->line && a->loop_idx == b->loop_idx;
}

/* Finds the node that equals the given one, or adds it. If joins_recursion is set and the parent is the same procedure,
 * it returns the parent. */
static int callee_of(struct ep_tree_walk *walk, const struct ep_walk_node *node, uint32_t *out)
{
	uint32_t parent = node->parent;
	uint64_t hash;

	*out = parent;
	if (walk->joins_recursion && parent && parent < walk->n_nodes &&
		walk->nodes[parent].symbol_idx == node->symbol_idx)
		return 0;
	hash = ep_hash_mix(ep_hash_mix(parent, node->symbol_idx), (uintptr_t)node->file);
	hash = ep_hash_mix(hash, (uint64_t)node->loop_idx << 32 | node->line);
	*out = ep_index_find(&walk->node_index, hash, same_node, walk, node);
	if (*out != EP_NONE)
		return 0;
	if (EP_ARRAY_RESERVE(walk->nodes, walk->n_nodes, walk->node_capacity) ||
		ep_index_add(&walk->node_index, hash, walk->n_nodes))
		return -ENOMEM;
	*out = walk->n_nodes++;
	walk->nodes[*out] = *node;
	return 0;
}

static int find_loop(
	struct ep_tree_walk *walk, uint32_t path_idx, bool is_return, uint32_t *out_loop_idx)
{
	const struct ep_path *path = &walk->trace->paths[path_idx];

	*out_loop_idx = EP_NONE;
	if (!walk->by_loop)
		return 0;
	return ep_symbols_loop(
		walk->symbols, path->module_idx, path->address, is_return, out_loop_idx);
}

/* Finds or adds the nodes of a path's own frames, outermost first, below the node that stands for the call in the
 * parent path. Sets *out to the innermost node. */
static int follow(struct ep_tree_walk *walk, uint32_t path_idx, bool is_return, uint32_t *out)
{
	const struct ep_frame *frames;
	uint32_t n, at, loop_idx;

	at = path_idx ? walk->call_of_path[walk->trace->paths[path_idx].parent_idx] : 0;
	if (find_loop(walk, path_idx, is_return, &loop_idx) ||
		resolve(walk, path_idx, is_return, &frames, &n))
		return -ENOMEM;
	while (n--) {
		struct ep_walk_node node = { .parent = at,
			.symbol_idx = frames[n].symbol_idx,
			.loop_idx = n ? EP_NONE : loop_idx };

		if (walk->by_line) {
			node.file = frames[n].file;
			node.line = frames[n].line;
		}
		if (callee_of(walk, &node, &at))
			return -ENOMEM;
	}
	*out = at;
	return 0;
}

struct path_use {
	bool is_end;      /* samples ended in the path, or threads waited there */
	bool has_callees; /* is_end is set for a path below this path */
};

static int add_path(struct ep_tree_walk *walk, uint32_t path_idx, struct path_use use)
{
	if (use.is_end && follow(walk, path_idx, false, &walk->node_of_path[path_idx]))
		return -ENOMEM;
	if (path_idx && use.has_callees)
		return follow(walk, path_idx, true, &walk->call_of_path[path_idx]);
	return 0;
}

static void find_uses(const struct ep_trace *trace, struct path_use *uses)
{
	for (uint32_t i = 0; i < trace->n_paths; i++)
		uses[i].is_end = trace->paths[i].cost_idx != EP_NONE;
	for (uint32_t i = 0; i < trace->n_waits; i++)
		uses[trace->waits[i].path_idx].is_end |=
			ep_wait_shown(&trace->part, &trace->waits[i]).ns > 0;
	for (uint32_t i = trace->n_paths; i-- > 1;)
		if (uses[i].has_callees || uses[i].is_end)
			uses[trace->paths[i].parent_idx].has_callees = true;
}

int ep_tree_walk_init(struct ep_tree_walk *walk)
{
	const struct ep_trace *trace = walk->trace;
	EP_AUTOFREE struct path_use *uses = calloc(trace->n_paths, sizeof(*uses));
	const struct ep_walk_node top = {
		.parent = EP_NONE, .symbol_idx = EP_NONE, .loop_idx = EP_NONE
	};
	uint32_t root;

	walk->node_of_path = calloc(trace->n_paths, sizeof(*walk->node_of_path));
	walk->call_of_path = calloc(trace->n_paths, sizeof(*walk->call_of_path));
	if (!uses || !walk->node_of_path || !walk->call_of_path || callee_of(walk, &top, &root))
		return -ENOMEM;
	find_uses(trace, uses);
	for (uint32_t i = 0; i < trace->n_paths; i++)
		if (add_path(walk, i, uses[i]))
			return -ENOMEM;
	return 0;
}

void ep_tree_walk_finish(struct ep_tree_walk *walk)
{
	free(walk->nodes);
	free(walk->node_of_path);
	free(walk->call_of_path);
	free(walk->frames);
	ep_index_finish(&walk->node_index);
	*walk = (struct ep_tree_walk){ 0 };
}
