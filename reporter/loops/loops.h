/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the natural loops of a procedure from its instructions. Capstone decodes the instructions, jumps give a graph
 * of blocks, and a jump back to a block that dominates it makes a loop (Aho, Sethi, Ullman, "Compilers", section
 * 10.4). The machines are x86, x86-64, AArch64 and POWER. The targets of a jump by a table are guessed: they are the
 * blocks that no other jump leads to. Loops that can be entered in several places are not found.
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
	uint64_t address; /* address of the first instruction */
	uint16_t machine; /* e_machine of the procedure's ELF file */
	bool is_big_endian;
};

#define EP_LOOP_MOST_EXITS 6

struct ep_loop {
	uint64_t head; /* address where each iteration begins */
	/* last instruction of an iteration: the jump back with the highest address */
	uint64_t back;
	/* Addresses of the first few instructions that may lead out of the loop, without those of inner loops. */
	uint64_t exits[EP_LOOP_MOST_EXITS];
	uint32_t n_exits;
	uint32_t parent_idx; /* index of the loop around this one; EP_NO_LOOP: there is none */
	uint32_t depth;      /* 1: no loop is around it */
};

/* The instructions at addresses from start to end, and the innermost loop that has them. */
struct ep_loop_range {
	uint64_t start, end;
	uint32_t loop_idx;
};

struct ep_loops {
	struct ep_loop *rows; /* (n_rows) each loop comes after the loop around it */
	uint32_t n_rows;
	struct ep_loop_range *ranges; /* (n_ranges) sorted by start, without overlaps */
	uint32_t n_ranges;
};

#if EP_HAS_CAPSTONE
/* Finds the loops. Returns 0, -ENOTSUP for code of another machine, -E2BIG for more than EP_LOOPS_MOST_BYTES, or
 * -ENOMEM. */
int ep_loops_find(const struct ep_procedure_code *code, struct ep_loops *out) EP_MUST_CHECK;
#else
static inline EP_MUST_CHECK int ep_loops_find(
	const struct ep_procedure_code *code, struct ep_loops *out)
{
	return -ENOSYS;
}
#endif

/* The largest size of a procedure that is searched, in bytes. The largest procedures that people write have a tenth of
 * that. A symbol with a larger size has a wrong size, or stands for all code of a file. */
#define EP_LOOPS_MOST_BYTES ((size_t)1 << 20)

/* Checks that loops can be found. Returns 0, or -ENOSYS with a message that says what to do. */
static inline EP_MUST_CHECK int ep_loops_check(struct ep_error *err)
{
#if EP_HAS_CAPSTONE
	return 0;
#else
	return ep_fail(err, -ENOSYS,
		"this evreport was built without capstone, which reads the instructions that loops are found in: install libcapstone-dev, then build it again");
#endif
}

/* Returns the innermost loop at an address; EP_NO_LOOP: there is none. */
uint32_t ep_loops_at(const struct ep_loops *loops, uint64_t address);
void ep_loops_finish(struct ep_loops *loops);

#endif
