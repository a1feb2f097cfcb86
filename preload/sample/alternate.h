/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Alternate signal stacks of evprof. The frame of a tick's signal has 1.8 KiB (with AVX-512 3.4 KiB), and would lie on
 * the stack that the program runs on. A coroutine's stack may have 2 KiB only, and below it is other memory. So the
 * kernel writes the frame to the thread's record, as long as no thread of the program has an alternate stack. A thread
 * can have only one, and the program's may be too small for a second frame, or freed.
 */
#ifndef EVPROF_PRELOAD_SAMPLE_ALTERNATE_H
#define EVPROF_PRELOAD_SAMPLE_ALTERNATE_H

#include <signal.h>
#include <stdbool.h>

#include "preload/thread/thread.h"

/* Decides whether threads that begin from now on get an alternate stack. They do not where the calling thread has one
 * already, or the program was seen to set one. */
void ep_alternate_begin_process(void);
/* Tells whether ticks come on evprof's alternate stacks. */
bool ep_alternate_is_used(void);
/* Leaves alternate stacks to the program from now on. A thread that has one of evprof's keeps it until
 * its next tick. */
void ep_alternate_leave(void);
/* Gives no further threads an alternate stack. Threads that have one keep it, since Go uses it for its own handlers. */
void ep_alternate_leave_to_go(void);

/* These set and remove the calling thread's alternate stack. It must be removed before the thread's record is given
 * back. */
void ep_alternate_set(struct ep_thread *thread);
void ep_alternate_unset(struct ep_thread *thread);

bool ep_alternate_is_ours(const struct ep_thread *thread, const stack_t *stack);

/* Checks the alternate stack that the tick interrupted; when the tick returns, the thread has the one that the program
 * left it. Returns true where the program has set an alternate stack by a system call of its own: ticks must not come
 * on alternate stacks then. */
bool ep_alternate_look(struct ep_thread *thread, stack_t *interrupted);

#endif
