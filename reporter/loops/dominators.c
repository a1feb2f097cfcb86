// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds dominators by the iteration of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm", 2001, figure
 * 3). Blocks that cannot be reached from the entry (handlers of exceptions) are walked on their own. Edges from such
 * blocks into blocks that were walked before are ignored, since they would be second entries of loops.
 */
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/loops/loops_private.h"

struct block_walk {
	const struct ep_code_blocks *blocks;
	struct ep_dominators *out;
	uint32_t *stack; /* (n_blocks) blocks of the path that is being walked */
	uint32_t *at;    /* (n_blocks) next successor to visit */
	uint32_t n_done; /* blocks in postorder so far */
};

void ep_dominators_finish(struct ep_dominators *dominators)
{
	free(dominators->order);
	free(dominators->rank);
	free(dominators->idom);
	free(dominators->walk_of);
	*dominators = (struct ep_dominators){ 0 };
}

/* Walks depth first, without recursion. Puts blocks into order[first ..], the entry first, and returns their
 * number. */
static uint32_t walk_from(struct block_walk *w, uint32_t entry, uint32_t number, uint32_t first)
{
	uint32_t n_stacked = 1, n_met = 1, n_left;

	w->stack[0] = entry;
	w->out->walk_of[entry] = number;
	w->n_done = 0;
	while (n_stacked) {
		uint32_t block = w->stack[n_stacked - 1], next;
		const struct ep_code_block *row = &w->blocks->rows[block];

		if (w->at[block] == row->n_successors) {
			/* until all blocks are walked, idom holds the postorder */
			w->out->idom[w->n_done++] = block;
			n_stacked--;
			continue;
		}
		next = w->blocks->successors[row->first_successor + w->at[block]++];
		if (w->out->walk_of[next])
			continue;
		w->out->walk_of[next] = number;
		w->stack[n_stacked++] = next;
		n_met++;
	}
	n_left = n_met;
	for (uint32_t i = 0; i < n_met; i++)
		w->out->order[first + i] = w->out->idom[--n_left];
	return n_met;
}

/* Returns the nearest block that dominates both a and b. */
static uint32_t intersect(const struct ep_dominators *d, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (d->rank[a] > d->rank[b])
			a = d->idom[a];
		while (d->rank[b] > d->rank[a])
			b = d->idom[b];
	}
	return a;
}

static bool update(struct block_walk *w, uint32_t block)
{
	const struct ep_code_block *row = &w->blocks->rows[block];
	struct ep_dominators *d = w->out;
	uint32_t best = EP_NO_LOOP;
	bool has_changed;

	for (uint32_t i = 0; i < row->n_predecessors; i++) {
		uint32_t from = w->blocks->predecessors[row->first_predecessor + i];

		if (w->out->walk_of[from] != w->out->walk_of[block] || d->idom[from] == EP_NO_LOOP)
			continue;
		best = best == EP_NO_LOOP ? from : intersect(d, from, best);
	}
	has_changed = d->idom[block] != best;
	d->idom[block] = best;
	return has_changed;
}

static void find_dominators(struct block_walk *w, uint32_t first, uint32_t n)
{
	struct ep_dominators *d = w->out;
	bool has_changed = true;

	for (uint32_t i = 0; i < n; i++)
		d->rank[d->order[first + i]] = first + i;
	d->idom[d->order[first]] = d->order[first];
	while (has_changed) {
		has_changed = false;
		for (uint32_t i = 1; i < n; i++)
			has_changed |= update(w, d->order[first + i]);
	}
}

/* Walks all blocks: first from the entry, then from blocks that no edge leads to, last from blocks that only a circle
 * of edges leads to. */
static void walk_all(struct block_walk *w)
{
	const uint32_t *order = w->out->order;
	uint32_t n_blocks = w->blocks->n_rows, first = walk_from(w, 0, 1, 0), number = 1;

	for (uint32_t i = 1; i < n_blocks; i++)
		if (!w->blocks->rows[i].n_predecessors)
			first += walk_from(w, i, ++number, first);
	for (uint32_t i = 1; i < n_blocks; i++)
		if (!w->out->walk_of[i])
			first += walk_from(w, i, ++number, first);
	/* until here idom held postorders */
	memset(w->out->idom, 0xff, n_blocks * sizeof(*w->out->idom));
	for (uint32_t at = 0, n; at < n_blocks; at += n) {
		for (n = 1; at + n < n_blocks; n++)
			if (w->out->walk_of[order[at + n]] != w->out->walk_of[order[at]])
				break;
		find_dominators(w, at, n);
	}
}

int ep_dominators_create(const struct ep_code_blocks *blocks, struct ep_dominators *out)
{
	size_t n = blocks->n_rows;
	EP_AUTOFREE uint32_t *scratch = calloc(2 * n, sizeof(*scratch));
	struct ep_dominators dominators = {
		.order = calloc(n, sizeof(*dominators.order)),
		.rank = calloc(n, sizeof(*dominators.rank)),
		.idom = calloc(n, sizeof(*dominators.idom)),
		.walk_of = calloc(n, sizeof(*dominators.walk_of)),
	};
	struct block_walk walk = { .blocks = blocks, .out = &dominators, .stack = scratch };

	if (!scratch || !dominators.order || !dominators.rank || !dominators.idom ||
		!dominators.walk_of) {
		ep_dominators_finish(&dominators);
		return -ENOMEM;
	}
	walk.at = scratch + n;
	walk_all(&walk);
	*out = dominators;
	return 0;
}

bool ep_dominates(const struct ep_dominators *d, uint32_t by, uint32_t block)
{
	if (d->walk_of[by] != d->walk_of[block])
		return false;
	while (d->rank[block] > d->rank[by])
		block = d->idom[block];
	return block == by;
}
