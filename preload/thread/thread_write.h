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

/* Returns the age at which a thread's rows are written, from the age that was used last (last_us; 0: none yet). */
uint64_t ep_thread_flush_after(uint64_t last_us);

/* Returns the greatest of these ages, nearly a second. */
uint64_t ep_thread_flush_after_most(void);

/* Writes this thread's record, and those of other threads that have not been written for long, if the trace's lock is
 * free. Returns false where nothing was written. The caller holds the record's lock. Where the trace cannot be written,
 * measuring ends. */
bool ep_thread_flush(struct ep_thread *thread);

#endif
