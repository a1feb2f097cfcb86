/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides whether a tick that has come to a thread ends a slice, and ends it. */
#ifndef EVPROF_PRELOAD_PROCESS_TICK_H
#define EVPROF_PRELOAD_PROCESS_TICK_H

#include <signal.h>

#include "preload/thread/thread.h"

/* context is the ucontext_t of what was interrupted. On the thread's own stack for handlers. */
void ep_tick_take(struct ep_thread *thread, const siginfo_t *info, const void *context);

/* Takes off the queue the ticks that wait for this thread: they would come at once, one after the other.
 * glibc's own use of the signal waits on. */
void ep_tick_drop_waiting(void);

/* Lets the thread's next tick come later. It takes no lock: the thread that is interrupted may hold the record's, as
 * while it begins, and where ticks take longer than the period it gets on only behind this. */
void ep_tick_come_late(struct ep_thread *thread);

#endif
