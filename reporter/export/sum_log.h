/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps when the waits and the regions of threads were, while a trace is loaded. Memory is bounded: where there are
 * too many entries, those of a thread in the same step of time are merged, and steps become longer. One thread.
 */
#ifndef EVPROF_REPORTER_EXPORT_SUM_LOG_H
#define EVPROF_REPORTER_EXPORT_SUM_LOG_H

#include "reporter/load/load.h"

/* A sum, or a part of it, and the interval in which it may have passed. */
struct ep_sum_entry {
	uint32_t thread_idx;
	uint32_t idx; /* index in the trace's waits or regions */
	bool is_region;
	uint64_t start_us, end_us;  /* interval since the process's birth */
	uint64_t first_us, last_us; /* range of all intervals over which the sum was spread */
	double n, ns;
	double cpu_ns; /* CPU time of slices that ended in the region */
	uint64_t longest_ns;
};

#define EP_SUM_LOG_MOST 500000 /* 40 MB */

/* Only most is set at the beginning; all other members are 0. */
struct ep_sum_log {
	uint32_t most;
	struct ep_sum_entry *entries; /* (n_entries) in the order in which they came, or sorted */
	uint32_t n_entries, capacity;
	uint64_t step_us; /* length of a step; 0: no entries were merged yet */
};

int ep_sum_log_see(struct ep_sum_log *log, const struct ep_seen_sum *sum) EP_MUST_CHECK;
/* Adds CPU time to the region in which its slice ended. */
int ep_sum_log_see_time(struct ep_sum_log *log, const struct ep_seen_time *time) EP_MUST_CHECK;
void ep_sum_log_finish(struct ep_sum_log *log);

#endif
