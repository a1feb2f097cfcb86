/* SPDX-License-Identifier: BSD-3-Clause */
/* On the way from bytes to loops: instructions, blocks, edges. */
#ifndef EVPROF_REPORTER_LOOPS_LOOPS_PRIVATE_H
#define EVPROF_REPORTER_LOOPS_LOOPS_PRIVATE_H

#include "reporter/loops/loops.h"

/* ---- disassemble.c ---- */

/* Where an instruction leads. */
enum ep_flow {
	EP_FLOW_ON,      /* to the next one; calls too */
	EP_FLOW_PADDING, /* to the next one, and does nothing */
	EP_FLOW_BRANCH,  /* to the next one or to its target */
	EP_FLOW_JUMP,    /* to its target */
	EP_FLOW_AWAY,    /* to an address of a table */
	EP_FLOW_END,     /* out of the procedure */
};

struct ep_code_instruction {
	uint64_t address;
	uint64_t target; /* EP_FLOW_BRANCH, EP_FLOW_JUMP */
	uint32_t n_bytes;
	enum ep_flow flow;
};

struct ep_code_instructions {
	struct ep_code_instruction *rows; /* (n_rows) by address, without gaps */
	uint32_t n_rows, capacity;
};

/* A csh of capstone's for the code's machine, which is the caller's to close. 0 or -ENOTSUP. */
int ep_code_open(const struct ep_procedure_code *code, size_t *out_handle) EP_MUST_CHECK;
/* 0, -ENOTSUP or -ENOMEM. What is no instruction leads to what follows it. */
int ep_disassemble(
	const struct ep_procedure_code *code, struct ep_code_instructions *out) EP_MUST_CHECK;

/* ---- forwarding.c ---- */

/* The register with all 64 bits of it, of capstone's numbers; others than those of addresses stay. */
unsigned int ep_x86_whole_register(unsigned int reg);

/* ---- blocks.c ---- */

/* Instructions from first to last, which are always carried out together. */
struct ep_code_block {
	uint32_t first, last;
	uint32_t first_successor, n_successors;
	uint32_t first_predecessor, n_predecessors;
};

/* Block 0 is where the procedure is entered. The last one may have no instructions (first > last):
 * the place that all jumps by a table come through. */
struct ep_code_blocks {
	struct ep_code_block *rows; /* (n_rows) by address */
	uint32_t n_rows;
	uint32_t *successors, *predecessors; /* (n_edges) blocks */
	uint32_t n_edges;
};

/* At least one instruction. 0 or -ENOMEM. */
int ep_blocks_create(
	const struct ep_code_instructions *instructions, struct ep_code_blocks *out) EP_MUST_CHECK;
void ep_blocks_finish(struct ep_code_blocks *blocks);

/* ---- dominators.c ---- */

struct ep_dominators {
	uint32_t *order;   /* (n_blocks) blocks in reverse postorder, walk by walk */
	uint32_t *rank;    /* (n_blocks) place in order */
	uint32_t *idom;    /* (n_blocks) the entry of a walk is its own */
	uint32_t *walk_of; /* (n_blocks) the walk that met it, from 1 */
};

/* 0 or -ENOMEM. */
int ep_dominators_create(
	const struct ep_code_blocks *blocks, struct ep_dominators *out) EP_MUST_CHECK;
void ep_dominators_finish(struct ep_dominators *dominators);
/* Does every way to block, from the entry of its walk, come through by? */
bool ep_dominates(const struct ep_dominators *dominators, uint32_t by, uint32_t block);

#endif
