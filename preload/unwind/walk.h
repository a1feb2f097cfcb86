/* SPDX-License-Identifier: BSD-3-Clause */
/* A walk along a stack, shared by unwind.c (frames with tables) and search.c (a leaf without).
 * Signal handlers. */
#ifndef EVPROF_PRELOAD_UNWIND_WALK_H
#define EVPROF_PRELOAD_UNWIND_WALK_H

#include "preload/unwind/unwind.h"

#define EP_PAGE_BYTES 4096
#define EP_LOWEST_ADDRESS 4096

/* Out of the way of what nearly every frame takes. */
#define EP_UNUSUAL __attribute__((noinline, cold))

struct ep_registers {
	uint64_t pc, sp, fp, ra, bx;
	uint64_t context; /* address of the others, while is_exact */
	bool is_exact;    /* pc is where execution stopped, not a return address */
};

struct ep_walk {
	struct ep_registers regs;
	struct ep_stack_bounds bounds;
	uint64_t n_direct; /* bytes from bounds.low on where a word to be read directly may begin */
	bool is_trial;     /* a guess is being followed */
	uint64_t page;     /* address of the page in memory, 0: none */
	struct ep_unwind_memory *memory;
};

enum ep_step { EP_STEP_FRAME, EP_STEP_END, EP_STEP_BROKEN };

/* To the caller. */
enum ep_step ep_walk_step(struct ep_walk *walk);
/* A word outside the thread's own stack, through the kernel; false: there is no such memory. */
EP_UNUSUAL bool ep_walk_read_foreign(struct ep_walk *walk, uint64_t address, uint64_t *out_value);

/* false: there is no such memory. Not for AddressSanitizer: it reads other functions' frames, that
 * is its work. */
static inline __attribute__((no_sanitize_address)) bool ep_walk_read_word(
	struct ep_walk *walk, uint64_t address, uint64_t *out_value)
{
	if (address % 8 || address - walk->bounds.low >= walk->n_direct)
		return ep_walk_read_foreign(walk, address, out_value);
	*out_value = *(const uint64_t *)address;
	return true;
}

/* After a step along the program's own calls: is where it arrived a frame? */
static inline enum ep_step ep_walk_arrive(struct ep_walk *walk)
{
	walk->regs.is_exact = false;
#if defined(__aarch64__)
	walk->regs.pc &= (1ull << 48) - 1; /* the signature of pointer authentication */
#endif
	if (!walk->regs.pc)
		return EP_STEP_END;
	return walk->regs.pc < EP_LOWEST_ADDRESS ? EP_STEP_BROKEN : EP_STEP_FRAME;
}

/* From a signal's context (a ucontext_t) to the first frame. */
void ep_walk_begin(struct ep_walk *walk, const void *context, struct ep_stack_bounds bounds,
	struct ep_unwind_memory *memory);
void ep_walk_take_context(const void *context, struct ep_registers *regs);
/* From a signal's trampoline to what the signal interrupted; false: its context cannot be read. */
EP_UNUSUAL bool ep_walk_leave_signal_frame(struct ep_walk *walk);
/* A register of the interrupted context, by DWARF's number; false: there is none. */
bool ep_walk_read_context(struct ep_walk *walk, unsigned reg, uint64_t *out_value);
/* To the caller, if the frame pointer looks like one. */
bool ep_walk_by_frame_pointer(struct ep_walk *walk);
/* search.c: to the caller of code that has no table. */
EP_UNUSUAL bool ep_walk_without_table(struct ep_walk *walk);

#endif
