/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Alternate signal stacks of evprof. The frame of a tick's signal has 1.8 KiB (with AVX-512 3.4 KiB), and would lie on
 * the stack that the program runs on. A coroutine's stack may have 2 KiB only, and below it is other memory. So each
 * thread's record has an alternate stack, to which the kernel writes the frame. It is used only as long as no thread of
 * the program has set an alternate stack: a thread can have only one, and the program's may be too small for a second
 * frame, or freed.
 */
#ifndef EVPROF_PRELOAD_SAMPLE_ALTERNATE_H
#define EVPROF_PRELOAD_SAMPLE_ALTERNATE_H

#include <signal.h>
#include <stdbool.h>

#include "preload/thread/thread.h"

/* Decides whether threads that begin from now on get an alternate stack. They get none if the calling thread has one
 * already, if the program has set one before, if signal frames are too large, and under Go and valgrind. */
void ep_alternate_begin_process(void);
/* Tells whether ticks come on evprof's alternate stacks. */
bool ep_alternate_is_used(void);
/* Leaves alternate stacks to the program from now on. A thread keeps its alternate stack of evprof until
 * its next tick. */
void ep_alternate_leave(void);
/* Gives no further threads an alternate stack. Threads that have one keep it, since Go uses it for its own handlers. */
void ep_alternate_leave_to_go(void);

/* These set and remove the calling thread's alternate stack. It must be removed before the thread's record is given
 * back. */
void ep_alternate_set(struct ep_thread *thread);
void ep_alternate_unset(struct ep_thread *thread);

bool ep_alternate_is_ours(const struct ep_thread *thread, const stack_t *stack);

/* Checks the thread's alternate stack, which the kernel saved in the tick's frame (interrupted) and sets again when the
 * tick returns. An alternate stack of evprof that is not used any more is disabled in the frame. Returns true if the
 * program has set an alternate stack by a system call of its own: then ticks must not come on alternate stacks. */
bool ep_alternate_look(struct ep_thread *thread, stack_t *interrupted);

#endif
