/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds call stacks from a signal's context, by the unwind tables (.eh_frame) of the loaded modules.
 *
 * evprof has its own walker, since a signal handler in the program must neither cause a fault nor take a lock. Every
 * address is checked, or read through the kernel, before it is used. The rule for a program counter is kept in one
 * table for the process. The tests compare the walker with libunwind (tests/unit/test_unwind.c), and so does bench/.
 */
#ifndef EVPROF_PRELOAD_UNWIND_UNWIND_H
#define EVPROF_PRELOAD_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EP_STACK_MAX_FRAMES 200

/* Memory that may be read directly: the thread's own stack. All other memory is read through the kernel, a page at a
 * time. */
struct ep_stack_bounds {
	uint64_t low;
	uint64_t high;
};

struct ep_stack {
	unsigned n_frames;
	bool cut;    /* true: the stack is deeper than EP_STACK_MAX_FRAMES */
	bool broken; /* true: the stack could not be followed to its end */
	struct ep_stack_bounds
		own; /* the used part of the thread's own stack; empty on another stack */
	/* the leaf's address, then return addresses outwards */
	uint64_t addresses[EP_STACK_MAX_FRAMES];
};

#define EP_UNWIND_RULES 128

/* The data that a thread keeps of its walks; all 0 before the first walk. The rules of the thread's frames are on few
 * pages here, while the rules of the process are spread over a large table. */
struct ep_unwind_memory {
	uint64_t generation; /* how many unloads and forks there were when the rules were found */
	/* the last walk used memory that no earlier walk needed: there may have been page faults */
	bool is_new;
	struct {
		uint64_t pc;
		uint64_t rule; /* a struct ep_frame_rule */
	} rules[EP_UNWIND_RULES] __attribute__((aligned(16)));
	uint64_t page[512]; /* a copy of memory outside of the stack, during a walk */
};

/* Makes all rules invalid, after modules have been unloaded. Any thread may call this function. */
void ep_unwind_forget(void);

/* Forgets the rules of all threads in the child of a fork: another thread may have been in the middle of a walk, so
 * that its memory is inconsistent. */
void ep_unwind_after_fork(void);

/* Follows the stack of the interrupted context (a ucontext_t). Runs in signal handlers. */
void ep_unwind(const void *context, struct ep_stack_bounds bounds, struct ep_unwind_memory *memory,
	struct ep_stack *out_stack);

/* Returns the ucontext of the code that a handler of the program interrupted, if context is at that handler's first
 * instruction; else returns context. Other machines than x86-64 always get context. Defined in fresh_handler.c. Runs in
 * signal handlers. */
const void *ep_context_below_handler(const void *context);

#endif
