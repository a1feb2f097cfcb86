/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks a record and writes its contents. */
#ifndef EVPROF_PRELOAD_THREAD_THREAD_WRITE_H
#define EVPROF_PRELOAD_THREAD_THREAD_WRITE_H

#include "thread.h"

/* Lock and unlock a record. A record's lock is taken before the trace's. ep_thread_wait_lock gives up after two seconds
 * and returns false. */
bool ep_thread_try_lock(struct ep_thread *thread);
bool ep_thread_wait_lock(struct ep_thread *thread);
void ep_thread_unlock(struct ep_thread *thread);

/* Writes the record's modules, paths, rows and totals, and empties them. The caller holds the locks of the record and
 * of the trace. */
void ep_thread_write(struct ep_thread *thread);

/* Returns the age in us at which a thread's rows are written next. last_us: the age that was used last; 0: none yet. */
uint64_t ep_thread_flush_after(uint64_t last_us);

/* Returns the greatest age that ep_thread_flush_after returns: usually nearly a second. */
uint64_t ep_thread_flush_after_most(void);

/* If the trace's lock is free, writes this thread's record, and the records of other threads that have not been written
 * for long. Returns false if nothing was written. The caller holds the record's lock. If the trace cannot be written
 * any more, measuring ends. */
bool ep_thread_flush(struct ep_thread *thread);

#endif
