/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps the measured counts of each event in each thread with their times, while a trace is loaded. Memory is bounded:
 * if there are too many counts, neighbouring counts of an event are merged. Estimates are left out, even the estimate
 * for the part of a slice in which another user had the counters. All of this runs on one thread.
 */
#ifndef EVPROF_REPORTER_EXPORT_COUNT_LOG_H
#define EVPROF_REPORTER_EXPORT_COUNT_LOG_H

#include "reporter/load/load.h"

struct ep_count_entry {
	uint64_t end_us; /* end of the interval, since the process's birth */
	uint64_t count;  /* sum of the counts since the end of the entry before */
	uint32_t n_merged;
};

/* The counts of one event of a thread. */
struct ep_count_row {
	struct ep_count_entry *entries; /* (n_entries) in the order of time */
	uint32_t n_entries, capacity;
};

/* Before its first use, only the member most is set; all other members are 0. */
struct ep_count_log {
	uint32_t most; /* largest number of entries in all rows together */
	uint32_t n_entries;
	/* largest number of counts that are merged into one entry; 0: none were seen yet */
	uint32_t n_per_entry;
	struct ep_count_row *rows; /* (n_threads, EP_COUNT_EVENTS) rows by the trace's indexes */
	uint32_t n_threads, capacity;
};

/* Number of events whose counts are kept: those with the first indexes in the trace. No viewer shows more events. */
#define EP_COUNT_EVENTS 64

/* Adds the counts of slices of one thread, which all have the same events. Returns 0 or -ENOMEM. */
int ep_count_log_see(
	struct ep_count_log *log, const struct ep_seen_time *times, uint32_t n_times) EP_MUST_CHECK;
/* Returns the counts of an event in a thread; NULL: no slice of the thread was seen. */
const struct ep_count_row *ep_count_log_row(
	const struct ep_count_log *log, uint32_t thread_idx, uint32_t event_idx);
void ep_count_log_finish(struct ep_count_log *log);

#endif
