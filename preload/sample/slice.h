/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's slices, one after another: each ends with a tick. Under the record's lock but for the
 * tick, which takes it. */
#ifndef EVPROF_PRELOAD_SAMPLE_SLICE_H
#define EVPROF_PRELOAD_SAMPLE_SLICE_H

#include "preload/thread/thread.h"

/* Begins one, in the thread itself. */
void ep_slice_start(struct ep_thread *thread);

/* Its signal: ends it, where it is due, and begins the next. context is a ucontext_t. */
void ep_slice_tick(struct ep_thread *thread, const void *context);

/* Ends it before its time, and begins none. Any thread. */
void ep_slice_cut(struct ep_thread *thread);

#endif
