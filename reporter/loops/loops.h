/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Natural loops of a procedure, from its instructions: capstone reads them, jumps become a graph of
 * blocks, and a jump back to a block that dominates it makes a loop (Aho, Sethi, Ullman,
 * "Compilers", section 10.4). x86, x86-64, AArch64, POWER. Where a jump goes that takes its target
 * from a table is guessed: to the blocks that nothing else leads to. Loops that can be entered in
 * several places are not found.
 */
#ifndef EVPROF_REPORTER_LOOPS_LOOPS_H
#define EVPROF_REPORTER_LOOPS_LOOPS_H

#include "common/error.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EP_NO_LOOP UINT32_MAX

/* The instructions of one procedure. */
struct ep_procedure_code {
	const uint8_t *bytes;
	size_t n_bytes;
	uint64_t address; /* of the first */
	uint16_t machine; /* e_machine of its ELF file */
	bool is_big_endian;
};

#define EP_LOOP_MOST_EXITS 6

struct ep_loop {
	uint64_t head; /* where each turn begins */
	uint64_t back; /* the last instruction of a turn: the jump back with the highest address */
	/* Instructions that may lead out of it, not those of loops inside; the first ones. */
	uint64_t exits[EP_LOOP_MOST_EXITS];
	uint32_t n_exits;
	uint32_t parent_idx; /* the loop around it; EP_NO_LOOP: there is none */
	uint32_t depth;      /* 1: no loop is around it */
};

/* Instructions at addresses from start to end, and the innermost loop that they are of. */
struct ep_loop_range {
	uint64_t start, end;
	uint32_t loop_idx;
};

struct ep_loops {
	struct ep_loop *rows; /* (n_rows) a loop comes after the one around it */
	uint32_t n_rows;
	struct ep_loop_range *ranges; /* (n_ranges) by start, without overlaps */
	uint32_t n_ranges;
};

#if EP_HAS_CAPSTONE
/* -ENOTSUP: code of another machine; -E2BIG: more than EP_LOOPS_MOST_BYTES; -ENOMEM. */
int ep_loops_find(const struct ep_procedure_code *code, struct ep_loops *out) EP_MUST_CHECK;
#else
static inline EP_MUST_CHECK int ep_loops_find(
	const struct ep_procedure_code *code, struct ep_loops *out)
{
	return -ENOSYS;
}
#endif

/* The limit of one procedure's code. The largest procedures that people write have a tenth of it; a
 * symbol that claims more has a wrong size, or stands for all code of a file. */
#define EP_LOOPS_MOST_BYTES ((size_t)1 << 20)

/* -ENOSYS, with what to do, where no loops can be found. */
static inline EP_MUST_CHECK int ep_loops_check(struct ep_error *err)
{
#if EP_HAS_CAPSTONE
	return 0;
#else
	return ep_fail(err, -ENOSYS,
		"this evreport was built without capstone, which reads the instructions that loops are found in: install libcapstone-dev, then build it again");
#endif
}

/* The innermost loop at an address, or EP_NO_LOOP. */
uint32_t ep_loops_at(const struct ep_loops *loops, uint64_t address);
void ep_loops_finish(struct ep_loops *loops);

#endif
