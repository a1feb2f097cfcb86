/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Alternate signal stacks of ours. A tick's frame of 1.8 KiB (with AVX-512 3.4) would lie on whatever
 * stack the program runs on just then: below a coroutine's 2 KiB is another's memory. The kernel
 * writes it to the thread's record instead, as long as no thread of the program has an alternate
 * stack: a thread can have one only, and the program's may be too small for a second frame, or freed.
 */
#ifndef EVPROF_PRELOAD_SAMPLE_ALTERNATE_H
#define EVPROF_PRELOAD_SAMPLE_ALTERNATE_H

#include <signal.h>
#include <stdbool.h>

#include "preload/thread/thread.h"

/* Threads that begin from here on have one; none, where the calling thread has one of others already,
 * or the program was seen to set one. */
void ep_alternate_begin_process(void);
/* Returns true while ticks come on alternate stacks that evprof made. */
bool ep_alternate_is_used(void);
/* Leaves alternate stacks to the program from now on. A thread that has one of evprof's keeps it until
 * its next tick. */
void ep_alternate_leave(void);
/* Gives no more threads a stack. Those that have one keep it, since Go uses it for its own handlers. */
void ep_alternate_leave_to_go(void);

/* Set and remove the calling thread's stack. It must be removed before its record is given back. */
void ep_alternate_set(struct ep_thread *thread);
void ep_alternate_unset(struct ep_thread *thread);

bool ep_alternate_is_ours(const struct ep_thread *thread, const stack_t *stack);

/* In a tick: when it returns the thread has what the program left there. True: a stack that came by no
 * function of libc was met, and ticks must not come there. */
bool ep_alternate_look(struct ep_thread *thread, stack_t *interrupted);

#endif
