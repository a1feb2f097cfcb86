/* SPDX-License-Identifier: BSD-3-Clause */
/* Where measuring begins and ends in threads, and what all of them do together. */
#ifndef EVPROF_PRELOAD_SAMPLE_THREAD_LIFE_H
#define EVPROF_PRELOAD_SAMPLE_THREAD_LIFE_H

#include "preload/thread/thread.h"

/* In the new thread: opens what it is measured by. high: an address above its first frame. */
void ep_thread_begin(struct ep_thread *thread, uint64_t low, uint64_t high);

/* The calling thread may have another name now. */
void ep_thread_note_name(void);

/* At its end, in the thread itself. */
void ep_thread_end(struct ep_thread *thread);

/* At the end of the process image (or before an exec that may fail), by any thread: closes the
 * running slice and writes everything. final: no more will come. */
void ep_thread_flush_all(bool final);

/* Tells EVPROF_DEBUG what was measured of a thread that ends. */
void ep_thread_debug_end(const struct ep_thread *thread);

/* fork's child: the calling thread becomes the only one. */
void ep_thread_after_fork(void);

/* Modules were unloaded: every thread begins a new tree with its next slice. */
void ep_thread_forget_paths(void);

/* Stops all clocks: the process must make no more system calls of ours. */
void ep_thread_stop_all(void);

#endif
