/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps the times at which threads waited or were in regions, while a trace is loaded. Memory is bounded: if there are
 * too many entries, entries of one wait or region in the same step of time are merged, and steps become longer. All of
 * this runs on one thread.
 */
#ifndef EVPROF_REPORTER_EXPORT_SUM_LOG_H
#define EVPROF_REPORTER_EXPORT_SUM_LOG_H

#include "reporter/load/load.h"

/* The time of a wait or a region in one thread, or a part of that time, and the interval in which it may have
 * passed. */
struct ep_sum_entry {
	uint32_t thread_idx;
	uint32_t idx; /* index in the trace's waits or regions */
	bool is_region;
	uint64_t start_us, end_us;  /* the interval, since the process's birth */
	uint64_t first_us, last_us; /* range of all intervals over which the sum was spread */
	double n, ns;
	double cpu_ns; /* CPU time of slices that ended in the region */
	uint64_t longest_ns;
};

#define EP_SUM_LOG_MOST 500000 /* 40 MB */

/* Before its first use, only the member most is set; all other members are 0. */
struct ep_sum_log {
	uint32_t most;
	struct ep_sum_entry *entries; /* (n_entries) in no certain order */
	uint32_t n_entries, capacity;
	uint64_t step_us; /* length of a step; 0: no entries were merged yet */
};

int ep_sum_log_see(struct ep_sum_log *log, const struct ep_seen_sum *sum) EP_MUST_CHECK;
/* Adds CPU time to the region in which its slice ended. */
int ep_sum_log_see_time(struct ep_sum_log *log, const struct ep_seen_time *time) EP_MUST_CHECK;
void ep_sum_log_finish(struct ep_sum_log *log);

#endif
