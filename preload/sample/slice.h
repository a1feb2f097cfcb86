/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's slices, one after another: each ends with a tick. All functions but ep_slice_tick, which takes the
 * record's lock itself, run under that lock. */
#ifndef EVPROF_PRELOAD_SAMPLE_SLICE_H
#define EVPROF_PRELOAD_SAMPLE_SLICE_H

#include "preload/thread/thread.h"

/* Asks the kernel for the thread's CPU time. Any thread may call it. */
uint64_t ep_slice_cpu_ns(const struct ep_thread *thread);

/* Returns the node of the call path that context (a ucontext_t) is in, without evprof's own frames; 0: there is none.
 * Runs in the thread itself, or while the thread does not run. */
uint32_t ep_slice_find_path(struct ep_thread *thread, const void *context, uint64_t now_us);

/* Writes the thread's rows and waits, if they take much room or are old. Called at the end of a wait. A young thread's
 * slices are written as early as by a tick, since the next wait may not end. Waits alone are written nearly a second
 * after the last ones. */
void ep_slice_flush_if_due(struct ep_thread *thread, uint64_t now_us);

/* Begins a slice of the calling thread. */
void ep_slice_start(struct ep_thread *thread);

/* Handles a tick's signal: ends the slice if it is due, and begins the next. context is a ucontext_t. */
void ep_slice_tick(struct ep_thread *thread, const void *context);

/* Ends the slice before its tick, without beginning another. Any thread may call it. */
void ep_slice_cut(struct ep_thread *thread);

#endif
