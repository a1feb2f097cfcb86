/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks a record and writes what it holds. Shared by the files of thread/. */
#ifndef EVPROF_PRELOAD_THREAD_THREAD_WRITE_H
#define EVPROF_PRELOAD_THREAD_THREAD_WRITE_H

#include "thread.h"

/* A record's lock comes before the trace's. wait: gives up after two seconds. */
bool ep_thread_try_lock(struct ep_thread *thread);
bool ep_thread_wait_lock(struct ep_thread *thread);
void ep_thread_unlock(struct ep_thread *thread);

/* Writes the record's modules, paths, rows and totals, and forgets them. The caller holds the record's and
 * the trace's lock. */
void ep_thread_write(struct ep_thread *thread);

/* Returns the age at which a thread's rows are written, from the age that was used last (last_us; 0: none yet). */
uint64_t ep_thread_flush_after(uint64_t last_us);

/* Returns the greatest of these ages: a second, nearly. */
uint64_t ep_thread_flush_after_most(void);

/* Writes this thread's record, and those that others have not written for long, where the trace's lock is
 * free. The caller holds the record's lock. Where the trace cannot be written, measuring ends. */
bool ep_thread_flush(struct ep_thread *thread);

#endif
