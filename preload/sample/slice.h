/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's slices, one after another: each ends with a tick. Under the record's lock but for the
 * tick, which takes it. */
#ifndef EVPROF_PRELOAD_SAMPLE_SLICE_H
#define EVPROF_PRELOAD_SAMPLE_SLICE_H

#include "preload/thread/thread.h"

/* Asks the kernel for the thread's CPU time. Any thread may call it. */
uint64_t ep_slice_cpu_ns(const struct ep_thread *thread);

/* Finds the node of the call path that context (a ucontext_t) is in, without our own frames; 0: there is
 * none. The calling thread is thread itself, or thread stands still. */
uint32_t ep_slice_find_path(struct ep_thread *thread, const void *context, uint64_t now_us);

/* At the end of a wait: writes the thread's rows and waits if they take much room or are old. A young thread's slices
 * are written as early as by a tick, since the next wait may not end; waits alone nearly a second after the last. */
void ep_slice_flush_if_due(struct ep_thread *thread, uint64_t now_us);

/* Begins a slice, in the thread itself. */
void ep_slice_start(struct ep_thread *thread);

/* Handles a tick's signal: ends the slice if it is due, and begins the next. context is a ucontext_t. */
void ep_slice_tick(struct ep_thread *thread, const void *context);

/* Ends the slice before its tick, and begins none. Any thread may call it. */
void ep_slice_cut(struct ep_thread *thread);

#endif
