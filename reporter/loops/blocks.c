// SPDX-License-Identifier: BSD-3-Clause
/* Divides instructions into blocks, and finds the edges between them. */
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/loops/loops_private.h"

/* An edge, before edges are sorted by block. */
struct edge {
	uint32_t from, to;
};

struct graph {
	const struct ep_code_instructions *instructions;
	bool *is_leader; /* (n_instructions) whether a block begins at the instruction */
	/* (n_instructions) block of each instruction; padding belongs to the block before */
	uint32_t *block_of;
	struct ep_code_block *blocks;
	uint32_t n_blocks;
	struct edge *edges;
	uint32_t n_edges;
};

static void finish_graph(struct graph *g)
{
	free(g->is_leader);
	free(g->block_of);
	free(g->blocks);
	free(g->edges);
}

void ep_blocks_finish(struct ep_code_blocks *blocks)
{
	free(blocks->rows);
	free(blocks->successors);
	free(blocks->predecessors);
	*blocks = (struct ep_code_blocks){ 0 };
}

/* ---- blocks ---- */

/* Returns the instruction that contains an address; it need not begin there, since a jump over a lock prefix leads
 * into the middle of an instruction. EP_NO_LOOP: the address is outside of the procedure. */
static uint32_t find_instruction(const struct ep_code_instructions *list, uint64_t address)
{
	uint32_t low = 0, high = list->n_rows;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (list->rows[middle].address + list->rows[middle].n_bytes <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < list->n_rows && list->rows[low].address <= address ? low : EP_NO_LOOP;
}

static bool has_target(enum ep_flow flow)
{
	return flow == EP_FLOW_BRANCH || flow == EP_FLOW_JUMP;
}

static bool goes_on(enum ep_flow flow)
{
	return flow == EP_FLOW_ON || flow == EP_FLOW_PADDING || flow == EP_FLOW_BRANCH;
}

/* Marks instructions at which blocks begin. Padding after a jump does not begin a block: it is never executed, so it
 * must not have an edge to the next block. */
static void mark_leaders(struct graph *g)
{
	const struct ep_code_instructions *list = g->instructions;
	bool is_behind_jump = false;

	g->is_leader[0] = true;
	for (uint32_t i = 0; i < list->n_rows; i++) {
		enum ep_flow flow = list->rows[i].flow;
		uint32_t target = EP_NO_LOOP;

		if (is_behind_jump && flow != EP_FLOW_PADDING) {
			g->is_leader[i] = true;
			is_behind_jump = false;
		}
		if (has_target(flow))
			target = find_instruction(list, list->rows[i].target);
		if (target != EP_NO_LOOP)
			g->is_leader[target] = true;
		if (flow == EP_FLOW_BRANCH && i + 1 < list->n_rows)
			g->is_leader[i + 1] = true;
		is_behind_jump |= !goes_on(flow);
	}
}

static bool ends_block(const struct graph *g, uint32_t i)
{
	return !goes_on(g->instructions->rows[i].flow) || i + 1 == g->instructions->n_rows ||
	       g->is_leader[i + 1];
}

static void make_blocks(struct graph *g)
{
	bool is_open = false;

	for (uint32_t i = 0; i < g->instructions->n_rows; i++) {
		if (g->is_leader[i]) {
			g->blocks[g->n_blocks++] = (struct ep_code_block){ .first = i };
			is_open = true;
		}
		g->block_of[i] = g->n_blocks - 1;
		if (is_open)
			g->blocks[g->n_blocks - 1].last = i;
		if (is_open && ends_block(g, i))
			is_open = false;
	}
}

/* ---- edges ---- */

static void add_edge(struct graph *g, uint32_t from, uint32_t to)
{
	g->edges[g->n_edges++] = (struct edge){ from, to };
}

static void add_edges_of(struct graph *g, uint32_t block)
{
	const struct ep_code_instruction *last = &g->instructions->rows[g->blocks[block].last];
	uint32_t target = EP_NO_LOOP;

	if (goes_on(last->flow) && block + 1 < g->n_blocks)
		add_edge(g, block, block + 1);
	if (has_target(last->flow))
		target = find_instruction(g->instructions, last->target);
	if (target != EP_NO_LOOP)
		add_edge(g, block, g->block_of[target]);
}

static bool jumps_away(const struct graph *g, uint32_t block)
{
	return g->instructions->rows[g->blocks[block].last].flow == EP_FLOW_AWAY;
}

/* ---- jumps by a table ---- */

/* Least number of jumps by a table that are taken for computed gotos. An interpreter with computed gotos has many of
 * them: the code at each label ends with its own jump to all labels. */
#define LEAST_GOTOS 3

static bool are_computed_gotos(uint32_t n_jumps, uint32_t n_orphans)
{
	return n_jumps >= LEAST_GOTOS && 2 * n_jumps >= n_orphans;
}

/* Adds a block without instructions through which all jumps by a table lead. Edges from each jump to each label would
 * make the graph irreducible, and then its loops are not found. */
static void join_jumps(struct graph *g, const bool *is_orphan)
{
	uint32_t hub = g->n_blocks++;

	g->blocks[hub] = (struct ep_code_block){ .first = 1 };
	for (uint32_t i = 0; i < hub; i++) {
		if (jumps_away(g, i))
			add_edge(g, i, hub);
		if (is_orphan[i])
			add_edge(g, hub, i);
	}
}

/* Adds an edge to each block that no known jump leads to, from the last jump by a table before it. Compilers write the
 * cases of a switch after its jump. One case may be before the first block of a loop; blocks before all jumps get
 * their edge from the first jump. */
static void link_orphans_to_jump_before(struct graph *g, const bool *is_orphan)
{
	uint32_t jump = 0;

	while (jump < g->n_blocks && !jumps_away(g, jump))
		jump++;
	for (uint32_t i = 0; jump < g->n_blocks && i < g->n_blocks; i++) {
		if (is_orphan[i])
			add_edge(g, jump, i);
		if (jumps_away(g, i))
			jump = i;
	}
}

static int link_orphans(struct graph *g)
{
	EP_AUTOFREE bool *is_orphan = malloc((g->n_blocks + 1) * sizeof(*is_orphan));
	uint32_t n_jumps = 0, n_orphans = 0;

	if (!is_orphan)
		return -ENOMEM;
	memset(is_orphan, true, g->n_blocks * sizeof(*is_orphan));
	is_orphan[0] = false;
	for (uint32_t i = 0; i < g->n_edges; i++)
		is_orphan[g->edges[i].to] = false;
	for (uint32_t i = 0; i < g->n_blocks; i++) {
		n_jumps += jumps_away(g, i);
		n_orphans += is_orphan[i];
	}
	if (are_computed_gotos(n_jumps, n_orphans))
		join_jumps(g, is_orphan);
	else
		link_orphans_to_jump_before(g, is_orphan);
	return 0;
}

/* ---- all ---- */

/* Sorts the edges into the lists of successors and predecessors, by counting sort. */
static int sort_edges(struct graph *g, struct ep_code_blocks *out)
{
	EP_AUTOFREE uint32_t *at = calloc((size_t)g->n_blocks * 2, sizeof(*at));
	uint32_t n_out = 0, n_in = 0;

	out->successors = malloc((g->n_edges + 1) * sizeof(*out->successors));
	out->predecessors = malloc((g->n_edges + 1) * sizeof(*out->predecessors));
	if (!at || !out->successors || !out->predecessors)
		return -ENOMEM;
	for (uint32_t i = 0; i < g->n_edges; i++) {
		g->blocks[g->edges[i].from].n_successors++;
		g->blocks[g->edges[i].to].n_predecessors++;
	}
	for (uint32_t i = 0; i < g->n_blocks; i++) {
		at[2 * i] = g->blocks[i].first_successor = n_out;
		at[2 * i + 1] = g->blocks[i].first_predecessor = n_in;
		n_out += g->blocks[i].n_successors;
		n_in += g->blocks[i].n_predecessors;
	}
	for (uint32_t i = 0; i < g->n_edges; i++) {
		struct edge edge = g->edges[i];

		out->successors[at[2 * edge.from]++] = edge.to;
		out->predecessors[at[2 * edge.to + 1]++] = edge.from;
	}
	out->n_edges = g->n_edges;
	return 0;
}

/* Allocates the arrays. Each block has at most two edges of its own; each block without a known predecessor gets one
 * more, and so does each jump by a table. */
static int allocate(struct graph *g)
{
	size_t n = g->instructions->n_rows + 1;

	g->is_leader = calloc(n, sizeof(*g->is_leader));
	g->block_of = calloc(n, sizeof(*g->block_of));
	g->blocks = calloc(n, sizeof(*g->blocks));
	g->edges = calloc(4 * n, sizeof(*g->edges));
	return g->is_leader && g->block_of && g->blocks && g->edges ? 0 : -ENOMEM;
}

int ep_blocks_create(const struct ep_code_instructions *instructions, struct ep_code_blocks *out)
{
	__attribute__((cleanup(finish_graph))) struct graph g = { .instructions = instructions };
	struct ep_code_blocks blocks = { 0 };
	int rc = allocate(&g);

	if (rc)
		return rc;
	mark_leaders(&g);
	make_blocks(&g);
	for (uint32_t i = 0, n = g.n_blocks; i < n; i++)
		add_edges_of(&g, i);
	rc = link_orphans(&g);
	if (!rc)
		rc = sort_edges(&g, &blocks);
	if (rc) {
		ep_blocks_finish(&blocks);
		return rc;
	}
	blocks.rows = g.blocks;
	blocks.n_rows = g.n_blocks;
	g.blocks = NULL;
	*out = blocks;
	return 0;
}
