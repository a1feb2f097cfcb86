/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's slices, one after another: each ends with a tick, or is cut. ep_slice_cpu_ns needs no lock, and
 * ep_slice_tick takes the record's lock itself. Callers of the other functions hold that lock. */
#ifndef EVPROF_PRELOAD_SAMPLE_SLICE_H
#define EVPROF_PRELOAD_SAMPLE_SLICE_H

#include "preload/thread/thread.h"

/* Asks the kernel for the thread's CPU time. Any thread may call it. */
uint64_t ep_slice_cpu_ns(const struct ep_thread *thread);

/* Returns the node of the call path of context (a ucontext_t), without evprof's own frames; 0: there is no node. Runs
 * in the thread itself, or while the thread does not run. */
uint32_t ep_slice_find_path(struct ep_thread *thread, const void *context, uint64_t now_us);

/* Writes the thread's slices and waits, if they take much room or are old. Called at the end of a wait. Slices are
 * written at the same age as by a tick, since the next wait may never end: in a young thread this is early. A thread
 * that has only waits to write is written nearly a second after the last time. */
void ep_slice_flush_if_due(struct ep_thread *thread, uint64_t now_us);

/* Begins a slice of the calling thread. */
void ep_slice_start(struct ep_thread *thread);

/* Handles a tick's signal: ends the slice if it is due, and begins the next. context is a ucontext_t. */
void ep_slice_tick(struct ep_thread *thread, const void *context);

/* Ends the slice before its tick, without beginning another. Any thread may call it. */
void ep_slice_cut(struct ep_thread *thread);

#endif
