// SPDX-License-Identifier: BSD-3-Clause
/*
 * Follows frame pointers alone (on POWER the ABI's back chain), and reads no tables. Code has frame pointers if it was
 * compiled with -fno-omit-frame-pointer. If a leaf has not set up its frame yet, its caller is missing in the stack.
 * Runs in the slice's signal handler.
 */
#include "common/os/slice_code.h"
#include "preload/unwind/unwinder.h"
#include "preload/unwind/walk.h"

static enum ep_step step(struct ep_walk *walk)
{
#if !defined(__powerpc64__)
	if (!walk->regs.fp)
		return EP_STEP_END; /* _start and clone begin the chain with 0 */
#endif
	return ep_walk_by_frame_pointer(walk) ? ep_walk_arrive(walk) : EP_STEP_BROKEN;
}

static EP_SLICE_CODE void walk_frame_pointers(const void *context, struct ep_stack_bounds bounds,
	struct ep_unwind_memory *memory, struct ep_stack *out_stack)
{
	struct ep_walk walk;
	enum ep_step result;

	ep_walk_begin(&walk, context, bounds, memory);
	out_stack->own = walk.bounds;
	out_stack->n_frames = 0;
	do {
		out_stack->addresses[out_stack->n_frames++] = walk.regs.pc;
		result = step(&walk);
	} while (result == EP_STEP_FRAME && out_stack->n_frames < EP_STACK_MAX_FRAMES);
	out_stack->cut = result == EP_STEP_FRAME;
	out_stack->broken = result == EP_STEP_BROKEN;
}

const struct ep_unwinder ep_unwinder_frame_pointers = {
	.name = "frame-pointers",
	.walk = walk_frame_pointers,
};
