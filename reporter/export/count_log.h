/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What slices measured of each event of each thread, and when, gathered while a trace is loaded, in
 * bounded memory: where there are too many counts, neighbours of an event become one. Estimates are
 * left out, those too for the part of a slice in which another user had the counters. One thread.
 */
#ifndef EVPROF_REPORTER_EXPORT_COUNT_LOG_H
#define EVPROF_REPORTER_EXPORT_COUNT_LOG_H

#include "reporter/load/load.h"

struct ep_count_entry {
	uint64_t end_us; /* since the process's birth */
	uint64_t count;  /* since the entry before */
	uint32_t n_merged;
};

/* The counts of one event of a thread. */
struct ep_count_row {
	struct ep_count_entry *entries; /* (n_entries) */
	uint32_t n_entries, capacity;
};

/* Begins as zero but for most. */
struct ep_count_log {
	uint32_t most; /* entries, of all rows */
	uint32_t n_entries;
	uint32_t n_per_entry;      /* that become one; 0: nothing was seen yet */
	struct ep_count_row *rows; /* (n_threads, EP_COUNT_EVENTS) by the trace's indexes */
	uint32_t n_threads, capacity;
};

/* Events of more than this index are left out: no viewer shows so many. */
#define EP_COUNT_EVENTS 64

/* As ep_time_log_see. 0 or -ENOMEM. */
int ep_count_log_see(struct ep_count_log *log, const struct ep_seen_time *time) EP_MUST_CHECK;
/* Returns NULL where nothing was seen of the thread. */
const struct ep_count_row *ep_count_log_row(
	const struct ep_count_log *log, uint32_t thread_idx, uint32_t event_idx);
void ep_count_log_finish(struct ep_count_log *log);

#endif
