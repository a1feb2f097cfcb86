/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call stacks from a signal's context, by the unwind tables (.eh_frame) of the loaded modules.
 *
 * Our own walker because a handler inside someone else's program may neither fault nor lock: every
 * address is checked or read through the kernel before it is used, and the rule for a program
 * counter is kept in one table for the process. libunwind is the reference that the tests compare
 * with (tests/unit/test_unwind.c), and the peer in bench/.
 */
#ifndef EVPROF_PRELOAD_UNWIND_UNWIND_H
#define EVPROF_PRELOAD_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EP_STACK_MAX_FRAMES 200

/* Memory that may be read directly: the thread's own stack. Everything else goes through the
 * kernel, a page at a time. */
struct ep_stack_bounds {
	uint64_t low;
	uint64_t high;
};

struct ep_stack {
	unsigned n_frames;
	bool cut;    /* deeper than EP_STACK_MAX_FRAMES */
	bool broken; /* could not be followed to its end */
	struct ep_stack_bounds
		own; /* the part of the thread's own stack that is in use; none of another */
	uint64_t addresses[EP_STACK_MAX_FRAMES]; /* leaf first; return addresses after it */
};

#define EP_UNWIND_RULES 128

/* The memory of a thread's walks, zero before the first: the rules of its stacks' frames on few
 * pages, where those of the process are all over a large table. */
struct ep_unwind_memory {
	uint64_t generation; /* of the rules */
	bool is_new; /* the last walk met memory that none before it needed: pages may have been
			faulted in */
	struct {
		uint64_t pc;
		uint64_t rule; /* struct ep_frame_rule */
	} rules[EP_UNWIND_RULES] __attribute__((aligned(16)));
	uint64_t page[512]; /* copy of foreign memory during a walk */
};

/* Forgets all rules: modules have been unloaded. Any thread. */
void ep_unwind_forget(void);

/* In fork's child: another thread may have been in the middle of a walk, so that what it keeps is of two
 * minds. Threads' memories begin anew. */
void ep_unwind_after_fork(void);

/* Follows the stack of the interrupted context (a ucontext_t). Signal handlers. */
void ep_unwind(const void *context, struct ep_stack_bounds bounds, struct ep_unwind_memory *memory,
	struct ep_stack *out_stack);

/* fresh_handler.c. Returns the ucontext of what a handler of the program interrupted, where context is at
 * that handler's first instruction; else context. On other machines than x86-64 always context. Signal
 * handlers. */
const void *ep_context_below_handler(const void *context);

#endif
