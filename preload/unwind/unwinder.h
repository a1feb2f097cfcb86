/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ways to follow a stack: evprof's own walker (the default), frame pointers alone, and libunwind, which
 * is loaded when somebody asks for it: for frames and architectures that the own walker does not serve,
 * and as a second opinion. A new way is a file and a row in unwinder.c.
 */
#ifndef EVPROF_PRELOAD_UNWIND_UNWINDER_H
#define EVPROF_PRELOAD_UNWIND_UNWINDER_H

#include "common/error.h"
#include "preload/unwind/unwind.h"

struct ep_unwinder {
	const char *name;
	/* While the process starts, before the first walk. NULL: there is nothing to do. */
	int (*open)(struct ep_error *err);
	/* As ep_unwind. Signal handlers. */
	void (*walk)(const void *context, struct ep_stack_bounds bounds,
		struct ep_unwind_memory *memory, struct ep_stack *out_stack);
	bool takes_locks; /* which another thread may hold when the program forks */
};

extern const struct ep_unwinder ep_unwinder_own, ep_unwinder_frame_pointers, ep_unwinder_libunwind;

/* The one that walks; ep_unwinder_own until another is chosen. */
extern const struct ep_unwinder *ep_unwinder_chosen;

/* "own", "frame-pointers", "libunwind"; an empty name is the first. An error leaves the choice as it was. */
int ep_unwinder_choose(const char *name, struct ep_error *err) EP_MUST_CHECK;

/* In fork's child: a walker whose locks may be held for ever gives way to evprof's own. */
void ep_unwinder_after_fork(void);

#endif
