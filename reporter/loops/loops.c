// SPDX-License-Identifier: BSD-3-Clause
/* Finds loops from blocks and their dominators. */
#include "reporter/loops/loops_private.h"

#include <stdlib.h>

#include "common/cleanup.h"

struct finder {
	const struct ep_code_instructions *instructions;
	const struct ep_code_blocks *blocks;
	const struct ep_dominators *dominators;
	struct ep_loop *loops; /* (n_loops) each loop is before the loop around it */
	uint32_t *header_of;   /* (n_loops) block where each loop is entered */
	uint32_t n_loops;
	uint32_t *innermost; /* (n_blocks) innermost loop of each block, or EP_NO_LOOP */
	uint32_t *to_do;     /* (n_edges + n_blocks) blocks that are still to be visited */
	uint32_t n_to_do;
};

static uint32_t outermost(const struct finder *f, uint32_t loop)
{
	while (f->loops[loop].parent_idx != EP_NO_LOOP)
		loop = f->loops[loop].parent_idx;
	return loop;
}

static void add_predecessors(struct finder *f, uint32_t block)
{
	const struct ep_code_block *row = &f->blocks->rows[block];

	for (uint32_t i = 0; i < row->n_predecessors; i++) {
		uint32_t from = f->blocks->predecessors[row->first_predecessor + i];

		if (f->dominators->walk_of[from] == f->dominators->walk_of[block])
			f->to_do[f->n_to_do++] = from;
	}
}

/* Walks along the edges backwards, from the blocks that jump to the header; all blocks that are met belong to the
 * loop. If a block belongs to a loop inside already, the walk goes on from the header of the outermost of the loops
 * inside. So each edge is visited at most once for each depth. */
static void take_body(struct finder *f, uint32_t loop, uint32_t header)
{
	while (f->n_to_do) {
		uint32_t block = f->to_do[--f->n_to_do], inner = f->innermost[block];

		if (inner == EP_NO_LOOP) {
			f->innermost[block] = loop;
			if (block != header)
				add_predecessors(f, block);
			continue;
		}
		inner = outermost(f, inner);
		if (inner == loop)
			continue;
		f->loops[inner].parent_idx = loop;
		if (f->header_of[inner] != header)
			add_predecessors(f, f->header_of[inner]);
	}
}

static const struct ep_code_instruction *last_of(const struct finder *f, uint32_t block)
{
	const struct ep_code_block *row = &f->blocks->rows[block];

	return row->first > row->last ? NULL : &f->instructions->rows[row->last];
}

/* Returns where an iteration begins. The block that all jumps by a table lead through has no instructions. If it
 * is the header, the iteration begins at the block of the loop that has the first of these jumps. */
static uint64_t head_address(const struct finder *f, uint32_t header, uint32_t first_jump)
{
	const struct ep_code_block *row = &f->blocks->rows[header];

	if (row->first > row->last)
		row = &f->blocks->rows[first_jump];
	return f->instructions->rows[row->first].address;
}

/* Finds the loop with this header. There is one if blocks that the header dominates jump back to it. */
static void find_loop(struct finder *f, uint32_t header)
{
	const struct ep_code_block *row = &f->blocks->rows[header];
	struct ep_loop loop = { .parent_idx = EP_NO_LOOP };

	f->n_to_do = 0;
	for (uint32_t i = 0; i < row->n_predecessors; i++) {
		uint32_t from = f->blocks->predecessors[row->first_predecessor + i];
		const struct ep_code_instruction *last = last_of(f, from);

		if (!ep_dominates(f->dominators, header, from))
			continue;
		if (!f->n_to_do)
			loop.head = head_address(f, header, from);
		f->to_do[f->n_to_do++] = from;
		if (last && last->address > loop.back)
			loop.back = last->address;
	}
	if (!f->n_to_do)
		return;
	if (!loop.back)
		loop.back = loop.head;
	f->loops[f->n_loops] = loop;
	f->header_of[f->n_loops] = header;
	take_body(f, f->n_loops++, header);
}

static bool is_within(const struct finder *f, uint32_t loop, uint32_t around)
{
	while (loop != EP_NO_LOOP && loop != around)
		loop = f->loops[loop].parent_idx;
	return loop == around;
}

static void find_exit(struct finder *f, uint32_t block)
{
	const struct ep_code_block *row = &f->blocks->rows[block];
	const struct ep_code_instruction *last = last_of(f, block);
	uint32_t at = f->innermost[block];
	struct ep_loop *loop = at == EP_NO_LOOP ? NULL : &f->loops[at];

	for (uint32_t i = 0; loop && last && i < row->n_successors; i++) {
		uint32_t to = f->blocks->successors[row->first_successor + i];

		if (is_within(f, f->innermost[to], at) || loop->n_exits == EP_LOOP_MOST_EXITS)
			continue;
		loop->exits[loop->n_exits++] = last->address;
		return;
	}
}

/* ---- results ---- */

/* Reverses the order of the loops, so that each comes after the loop around it. */
static void reverse(const struct finder *f, struct ep_loops *out)
{
	uint32_t last = f->n_loops - 1;

	for (uint32_t i = 0; i < f->n_loops; i++) {
		struct ep_loop *loop = &out->rows[out->n_rows++];

		*loop = f->loops[last - i];
		if (loop->parent_idx != EP_NO_LOOP)
			loop->parent_idx = last - loop->parent_idx;
		loop->depth =
			loop->parent_idx == EP_NO_LOOP ? 1 : out->rows[loop->parent_idx].depth + 1;
	}
}

static void add_range(const struct finder *f, uint32_t block, struct ep_loops *out)
{
	const struct ep_code_block *row = &f->blocks->rows[block];
	const struct ep_code_instruction *last = last_of(f, block);
	uint32_t loop = f->innermost[block];
	struct ep_loop_range range,
		*before = out->n_ranges ? &out->ranges[out->n_ranges - 1] : NULL;

	if (!last || loop == EP_NO_LOOP)
		return;
	range = (struct ep_loop_range){ f->instructions->rows[row->first].address,
		last->address + last->n_bytes, f->n_loops - 1 - loop };
	if (before && before->end == range.start && before->loop_idx == range.loop_idx)
		before->end = range.end;
	else
		out->ranges[out->n_ranges++] = range;
}

static int hand_over(const struct finder *f, struct ep_loops *out)
{
	struct ep_loops loops = { .rows = calloc(f->n_loops + 1, sizeof(*loops.rows)),
		.ranges = calloc(f->blocks->n_rows + 1, sizeof(*loops.ranges)) };

	if (!loops.rows || !loops.ranges) {
		ep_loops_finish(&loops);
		return -ENOMEM;
	}
	if (f->n_loops)
		reverse(f, &loops);
	for (uint32_t i = 0; f->n_loops && i < f->blocks->n_rows; i++)
		add_range(f, i, &loops);
	*out = loops;
	return 0;
}

static int find_all(const struct ep_code_instructions *instructions,
	const struct ep_code_blocks *blocks, const struct ep_dominators *dominators,
	struct ep_loops *out)
{
	size_t n = blocks->n_rows;
	EP_AUTOFREE struct ep_loop *loops = calloc(n, sizeof(*loops));
	EP_AUTOFREE uint32_t *header_of = calloc(n, sizeof(*header_of));
	EP_AUTOFREE uint32_t *innermost = malloc(n * sizeof(*innermost));
	EP_AUTOFREE uint32_t *to_do = malloc((blocks->n_edges + n) * sizeof(*to_do));
	struct finder f = { instructions, blocks, dominators, loops, header_of, 0, innermost, to_do,
		0 };

	if (!loops || !header_of || !innermost || !to_do)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		innermost[i] = EP_NO_LOOP;
	/* the header of an outer loop comes before those of its inner loops in the order, since it dominates them;
	 * inner loops are found first */
	for (size_t i = n; i-- > 0;)
		find_loop(&f, dominators->order[i]);
	for (uint32_t i = 0; i < n; i++)
		find_exit(&f, i);
	return hand_over(&f, out);
}

int ep_loops_find(const struct ep_procedure_code *code, struct ep_loops *out)
{
	struct ep_code_instructions instructions = { 0 };
	struct ep_code_blocks blocks = { 0 };
	struct ep_dominators dominators = { 0 };
	int rc = code->n_bytes > EP_LOOPS_MOST_BYTES ? -E2BIG : ep_disassemble(code, &instructions);

	*out = (struct ep_loops){ 0 };
	if (!rc && instructions.n_rows) {
		rc = ep_blocks_create(&instructions, &blocks);
		if (!rc)
			rc = ep_dominators_create(&blocks, &dominators);
		if (!rc)
			rc = find_all(&instructions, &blocks, &dominators, out);
	}
	free(instructions.rows);
	ep_blocks_finish(&blocks);
	ep_dominators_finish(&dominators);
	return rc;
}
