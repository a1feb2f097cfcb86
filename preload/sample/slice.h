/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's slices, one after another: each ends with a tick. Under the record's lock but for the
 * tick, which takes it. */
#ifndef EVPROF_PRELOAD_SAMPLE_SLICE_H
#define EVPROF_PRELOAD_SAMPLE_SLICE_H

#include "preload/thread/thread.h"

/* The thread's CPU clock, by a system call. Any thread. */
uint64_t ep_slice_cpu_ns(const struct ep_thread *thread);

/* The node of the call path that context (a ucontext_t) is in, without our own frames; 0: none. The
 * thread's own, or one that stands still. */
uint32_t ep_slice_find_path(struct ep_thread *thread, const void *context, uint64_t now_us);

/* Writes what the thread holds if that is old, or much. */
void ep_slice_flush_if_due(struct ep_thread *thread, uint64_t now_us);

/* Begins one, in the thread itself. */
void ep_slice_start(struct ep_thread *thread);

/* Its signal: ends it, where it is due, and begins the next. context is a ucontext_t. */
void ep_slice_tick(struct ep_thread *thread, const void *context);

/* Ends it before its time, and begins none. Any thread. */
void ep_slice_cut(struct ep_thread *thread);

#endif
