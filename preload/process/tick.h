/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides whether a tick that has come to a thread ends a slice, and ends the slice. */
#ifndef EVPROF_PRELOAD_PROCESS_TICK_H
#define EVPROF_PRELOAD_PROCESS_TICK_H

#include <signal.h>

#include "preload/thread/thread.h"

/* Takes a tick. context is the ucontext_t of the interrupted code. The slice's work is done on the handler stack in the
 * thread's record. */
void ep_tick_take(struct ep_thread *thread, const siginfo_t *info, const void *context);

/* Removes the pending ticks of this thread from the queue: they would come at once, one after another. A signal of the
 * same number that glibc sent for its own use stays pending. */
void ep_tick_drop_waiting(void);

/* Delays the thread's next tick. If a tick takes longer than the period, the thread would make no progress without
 * this. Takes no lock, since the interrupted thread may hold the record's lock, for example while it begins. */
void ep_tick_come_late(struct ep_thread *thread);

#endif
