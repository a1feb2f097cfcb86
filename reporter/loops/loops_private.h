/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares the steps from bytes to loops: instructions, blocks and edges. */
#ifndef EVPROF_REPORTER_LOOPS_LOOPS_PRIVATE_H
#define EVPROF_REPORTER_LOOPS_LOOPS_PRIVATE_H

#include "reporter/loops/loops.h"

/* ---- disassemble.c ---- */

/* Where control goes after an instruction. */
enum ep_flow {
	EP_FLOW_ON,      /* to the next instruction, also after a call */
	EP_FLOW_PADDING, /* to the next instruction; the instruction itself does nothing */
	EP_FLOW_BRANCH,  /* to the next instruction or to its target */
	EP_FLOW_JUMP,    /* to its target */
	EP_FLOW_AWAY,    /* to an address from a table */
	EP_FLOW_END,     /* out of the procedure */
};

struct ep_code_instruction {
	uint64_t address;
	uint64_t target; /* for EP_FLOW_BRANCH and EP_FLOW_JUMP */
	uint32_t n_bytes;
	enum ep_flow flow;
};

struct ep_code_instructions {
	struct ep_code_instruction *rows; /* (n_rows) sorted by address, without gaps */
	uint32_t n_rows, capacity;
};

/* Opens capstone for the code's machine; the caller closes the handle (csh). Returns 0 or -ENOTSUP. */
int ep_code_open(const struct ep_procedure_code *code, size_t *out_handle) EP_MUST_CHECK;
/* Decodes the instructions. Bytes that are no instruction count as one that leads to the next. Returns 0, -ENOTSUP or
 * -ENOMEM. */
int ep_disassemble(
	const struct ep_procedure_code *code, struct ep_code_instructions *out) EP_MUST_CHECK;

/* ---- forwarding.c ---- */

/* Returns the register of 64 bits that contains this one, by capstone's numbers. Registers that do not occur in
 * addresses are returned unchanged. */
unsigned int ep_x86_whole_register(unsigned int reg);

/* ---- blocks.c ---- */

/* The instructions from first to last, which are always executed together. */
struct ep_code_block {
	uint32_t first, last;
	uint32_t first_successor, n_successors;
	uint32_t first_predecessor, n_predecessors;
};

/* The blocks of a procedure. It is entered at block 0. The last block may have no instructions (first > last);
 * then all jumps by a table lead through it. */
struct ep_code_blocks {
	struct ep_code_block *rows; /* (n_rows) sorted by address */
	uint32_t n_rows;
	uint32_t *successors, *predecessors; /* (n_edges) indexes of blocks */
	uint32_t n_edges;
};

/* Makes the blocks of at least one instruction. Returns 0 or -ENOMEM. */
int ep_blocks_create(
	const struct ep_code_instructions *instructions, struct ep_code_blocks *out) EP_MUST_CHECK;
void ep_blocks_finish(struct ep_code_blocks *blocks);

/* ---- dominators.c ---- */

struct ep_dominators {
	uint32_t *order;   /* (n_blocks) blocks in reverse postorder, one walk after the other */
	uint32_t *rank;    /* (n_blocks) position of each block in order */
	uint32_t *idom;    /* (n_blocks) immediate dominator; the entry of a walk is its own */
	uint32_t *walk_of; /* (n_blocks) number of the walk that visited the block, from 1 */
};

/* Finds the dominators. Returns 0 or -ENOMEM. */
int ep_dominators_create(
	const struct ep_code_blocks *blocks, struct ep_dominators *out) EP_MUST_CHECK;
void ep_dominators_finish(struct ep_dominators *dominators);
/* Tells whether each way from the entry of the block's walk to the block leads through the block by. */
bool ep_dominates(const struct ep_dominators *dominators, uint32_t by, uint32_t block);

#endif
