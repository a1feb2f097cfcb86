/* SPDX-License-Identifier: BSD-3-Clause */
/* Leaves the frames of this library out of call paths. Only slice.c includes this file. */
#ifndef EVPROF_PRELOAD_SAMPLE_OWN_FRAMES_H
#define EVPROF_PRELOAD_SAMPLE_OWN_FRAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/os/slice_code.h"
#include "preload/recording/recording.h"
#include "preload/unwind/unwind.h"

static inline bool ep_is_own_code(uint64_t address)
{
	extern const char __ehdr_start[] __attribute__((visibility("hidden")));
	extern const char etext[] __attribute__((visibility("hidden")));

	return address - (uintptr_t)__ehdr_start < (uintptr_t)(etext - __ehdr_start);
}

static inline bool ep_calls_atfork(uint64_t address)
{
	return address == ep_recording.atfork_returns[0] ||
	       address == ep_recording.atfork_returns[1];
}

/* Leaves evprof's own innermost frames out of the stack. A tick that was blocked, for example during a fork, arrives
 * where evprof's code unblocks signals. The slice then counts for the procedure that called evprof: in a fork for fork
 * itself, and not for libc's code that calls the handlers of pthread_atfork. */
static inline EP_SLICE_CODE void ep_leave_out_own_frames(struct ep_stack *stack)
{
	unsigned n = 0;

	while (n + 1 < stack->n_frames && ep_is_own_code(stack->addresses[n]))
		n++;
	if (!n)
		return;
	n += n + 1 < stack->n_frames && ep_calls_atfork(stack->addresses[n]);
	stack->n_frames -= n;
	memmove(stack->addresses, stack->addresses + n,
		stack->n_frames * sizeof(stack->addresses[0]));
	stack->addresses
		[0]--; /* the new leaf is a return address; a leaf must point into the call */
}

/* Removes the frames of evprof's hooks of calls that wait, which lie between the frames of the program and of libc. The
 * innermost and the outermost frame always stay. */
static inline EP_SLICE_CODE void ep_leave_out_hooks(struct ep_stack *stack)
{
	unsigned n = 0;

	for (unsigned i = 0; i < stack->n_frames; i++)
		if (!i || i + 1 == stack->n_frames || !ep_is_own_code(stack->addresses[i]))
			stack->addresses[n++] = stack->addresses[i];
	stack->n_frames = n;
}

#endif
