/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where each thread was and when, gathered while a trace is loaded, in bounded memory: where there are
 * too many entries, neighbours of a thread become one, which keeps all their time and the place of one of
 * them, drawn in proportion to their times. One thread.
 */
#ifndef EVPROF_REPORTER_EXPORT_TIME_LOG_H
#define EVPROF_REPORTER_EXPORT_TIME_LOG_H

#include "reporter/load/load.h"

struct ep_time_entry {
	uint32_t path_idx;
	uint32_t n_merged;
	uint64_t end_us, wall_us, cpu_us; /* as in struct ep_seen_time */
};

struct ep_thread_log {
	struct ep_time_entry *entries; /* (n_entries) */
	uint32_t n_entries, capacity;
};

/* Begins as zero but for most. */
struct ep_time_log {
	uint32_t most; /* entries, of all threads */
	uint32_t n_entries;
	uint32_t n_per_entry;          /* that become one entry; 0: nothing was seen yet */
	struct ep_thread_log *threads; /* (n_threads) by the trace's index */
	uint32_t n_threads, capacity;
};

/* see_time of ep_load_options, whose seer is a struct ep_time_log. 0 or -ENOMEM. */
int ep_time_log_see(void *log, const struct ep_seen_time *time) EP_MUST_CHECK;
void ep_time_log_finish(struct ep_time_log *log);

#endif
