/* SPDX-License-Identifier: BSD-3-Clause */
/* Begins and ends measuring in threads. Some functions concern all threads together. */
#ifndef EVPROF_PRELOAD_SAMPLE_THREAD_LIFE_H
#define EVPROF_PRELOAD_SAMPLE_THREAD_LIFE_H

#include "preload/thread/thread.h"

/* Opens the new thread's counters and clock; the thread itself calls it. low and high are
 * the bounds of its stack; the address high lies above its first frame. */
void ep_thread_begin(struct ep_thread *thread, uint64_t low, uint64_t high);

/* Reads the calling thread's name again, after a call that may have changed it. */
void ep_thread_note_name(void);

/* Gives a new record the name of the calling thread, which creates the thread of the record. */
void ep_thread_inherit_name(struct ep_thread *thread);

/* Writes the thread's last slice and closes its counters. The thread itself calls it at its end. */
void ep_thread_end(struct ep_thread *thread);

/* Ends the running slices and writes all that threads hold. Any thread calls it at the end of the process image, or
 * before an exec that may fail. final: no more slices will follow. */
void ep_thread_flush_all(bool final);

/* Writes to EVPROF_DEBUG's file what was measured of a thread that ends. */
void ep_thread_debug_end(const struct ep_thread *thread);

/* Makes the calling thread the only one, in the child of a fork. */
void ep_thread_after_fork(void);

/* Lets every thread begin a new tree of call paths with its next slice. Called after modules were unloaded. */
void ep_thread_forget_paths(void);

/* Waits until is_so returns false, for a tenth of a second at most, since it may return true for ever. */
void ep_thread_wait_while(bool (*is_so)(void));

/* Waits, as ep_thread_wait_while does, until no other thread is beginning or ending. */
void ep_thread_wait_for_edges(void);

/* Stops the clocks and closes the counters of all threads. Called where evprof must make no more system calls in the
 * process. */
void ep_thread_stop_all(void);

#endif
