/* SPDX-License-Identifier: BSD-3-Clause */
/* A walk along a stack. unwind.c follows frames with unwind tables, search.c finds the caller of a leaf without a
 * table. Runs in signal handlers. */
#ifndef EVPROF_PRELOAD_UNWIND_WALK_H
#define EVPROF_PRELOAD_UNWIND_WALK_H

#include "preload/unwind/unwind.h"

#define EP_PAGE_BYTES 4096
#define EP_LOWEST_ADDRESS 4096

/* Marks functions that few frames need, so that the compiler puts their code away from the code of usual frames. */
#define EP_UNUSUAL __attribute__((noinline, cold))

struct ep_registers {
	uint64_t pc, sp, fp, ra, bx;
	uint64_t context; /* address of all registers as the kernel saved them, while is_exact */
	bool is_exact;    /* pc is where execution stopped, and not a return address */
};

struct ep_walk {
	struct ep_registers regs;
	struct ep_stack_bounds bounds;
	/* a word that begins in this many bytes from bounds.low on may be read directly */
	uint64_t n_direct;
	bool is_trial; /* true: the walk follows a guess */
	uint64_t page; /* address of the page that is copied in memory; 0: none */
	struct ep_unwind_memory *memory;
};

enum ep_step { EP_STEP_FRAME, EP_STEP_END, EP_STEP_BROKEN };

/* Steps to the caller. */
enum ep_step ep_walk_step(struct ep_walk *walk);
/* Reads a word outside of the thread's own stack, through the kernel. Returns false where no memory is mapped. */
EP_UNUSUAL bool ep_walk_read_foreign(struct ep_walk *walk, uint64_t address, uint64_t *out_value);

/* Reads a word. Returns false where no memory is mapped. AddressSanitizer must not check the access, since it goes to
 * other functions' frames. */
static inline __attribute__((no_sanitize_address)) bool ep_walk_read_word(
	struct ep_walk *walk, uint64_t address, uint64_t *out_value)
{
	if (address % 8 || address - walk->bounds.low >= walk->n_direct)
		return ep_walk_read_foreign(walk, address, out_value);
	*out_value = *(const uint64_t *)address;
	return true;
}

/* Tells whether the place that a step has reached is a frame. Used for steps to a caller, not for steps out of a
 * signal's frame. */
static inline enum ep_step ep_walk_arrive(struct ep_walk *walk)
{
	walk->regs.is_exact = false;
#if defined(__aarch64__)
	walk->regs.pc &= (1ull << 48) - 1; /* removes the signature of pointer authentication */
#endif
	if (!walk->regs.pc)
		return EP_STEP_END;
	return walk->regs.pc < EP_LOWEST_ADDRESS ? EP_STEP_BROKEN : EP_STEP_FRAME;
}

/* Begins a walk at a signal's context (a ucontext_t). */
void ep_walk_begin(struct ep_walk *walk, const void *context, struct ep_stack_bounds bounds,
	struct ep_unwind_memory *memory);
void ep_walk_take_context(const void *context, struct ep_registers *regs);
/* Steps from a signal's trampoline to the code that the signal interrupted. Returns false where the context cannot be
 * read. */
EP_UNUSUAL bool ep_walk_leave_signal_frame(struct ep_walk *walk);
/* Reads a register of the interrupted context; reg: DWARF's number. Returns false if the register cannot be read. */
bool ep_walk_read_context(struct ep_walk *walk, unsigned reg, uint64_t *out_value);
/* Steps to the caller if the frame pointer looks like one; else returns false. */
bool ep_walk_by_frame_pointer(struct ep_walk *walk);
/* Steps to the caller of code that has no table. Defined in search.c. */
EP_UNUSUAL bool ep_walk_without_table(struct ep_walk *walk);

#endif
