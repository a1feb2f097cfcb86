/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ways to follow a stack: evprof's own walker (the default), frame pointers alone, and libunwind. libunwind is loaded
 * when the user asks for it: for frames and architectures that evprof's own walker cannot follow, and to compare its
 * stacks with the walker's. A new way needs a file and a row in unwinder.c.
 */
#ifndef EVPROF_PRELOAD_UNWIND_UNWINDER_H
#define EVPROF_PRELOAD_UNWIND_UNWINDER_H

#include "common/error.h"
#include "preload/unwind/unwind.h"

struct ep_unwinder {
	const char *name;
	/* Called while the process starts, before the first walk. NULL: there is nothing to do. */
	int (*open)(struct ep_error *err);
	/* Follows a stack in this way, as ep_unwind does. Runs in signal handlers. */
	void (*walk)(const void *context, struct ep_stack_bounds bounds,
		struct ep_unwind_memory *memory, struct ep_stack *out_stack);
	bool takes_locks; /* walk takes locks, which another thread may hold when the program forks */
};

extern const struct ep_unwinder ep_unwinder_own, ep_unwinder_frame_pointers, ep_unwinder_libunwind;

/* The way that is used; ep_unwinder_own until another is chosen. */
extern const struct ep_unwinder *ep_unwinder_chosen;

/* Chooses a way by its name: "own", "frame-pointers" or "libunwind"; an empty name means "own". On an error the choice
 * stays as it was. */
int ep_unwinder_choose(const char *name, struct ep_error *err) EP_MUST_CHECK;

/* Changes to evprof's own walker in the child of a fork, if the chosen way takes locks: another thread of the parent
 * may have held them, so that they are never released in the child. */
void ep_unwinder_after_fork(void);

#endif
