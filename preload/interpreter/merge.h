/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts the functions of a script into a native stack, in place of the frames of the interpreter's loop that execute
 * them. Used by one thread in its signal handlers.
 */
#ifndef EVPROF_PRELOAD_INTERPRETER_MERGE_H
#define EVPROF_PRELOAD_INTERPRETER_MERGE_H

#include "codes.h"
#include "preload/unwind/unwind.h"

/* Data that a thread gets when one of its ticks has met an interpreter in the process. */
struct ep_interpreted {
	struct ep_codes codes;
	struct ep_python_frames python;
	uint32_t n_most_frames; /* the largest number of frames that a tick has met */
	uint64_t outermost;     /* the address of the thread's outermost frame; 0: not known */
	bool is_new;            /* the last tick met a new function, or more than n_most_frames */
	uint64_t merged[EP_STACK_MAX_FRAMES];
};

/* Empties the data for another thread, or after a fork. */
void ep_interpreted_reset(struct ep_interpreted *interpreted);

/* Merges the functions into the stack. Returns false if no frame of the stack belongs to an interpreter. */
bool ep_interpreted_merge(struct ep_interpreted *interpreted, struct ep_stack *stack);

#endif
