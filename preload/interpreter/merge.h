/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts the functions of a script into a native stack, in place of the frames of the interpreter's loop that
 * carry them out. Signal handlers; one thread's.
 */
#ifndef EVPROF_PRELOAD_INTERPRETER_MERGE_H
#define EVPROF_PRELOAD_INTERPRETER_MERGE_H

#include "codes.h"
#include "preload/unwind/unwind.h"

/* A thread keeps this once a tick has met an interpreter in the process. */
struct ep_interpreted {
	struct ep_codes codes;
	struct ep_python_frames python;
	uint32_t n_most_frames; /* that a tick has met */
	uint64_t outermost;     /* frame of the thread; 0: not known */
	bool is_new;            /* the last tick met memory that none before it needed */
	uint64_t merged[EP_STACK_MAX_FRAMES];
};

/* The thread is another one now, or in another process. */
void ep_interpreted_reset(struct ep_interpreted *interpreted);

/* false: no frame of the stack is an interpreter's. */
bool ep_interpreted_merge(struct ep_interpreted *interpreted, struct ep_stack *stack);

#endif
