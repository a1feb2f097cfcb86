/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When the waits and the regions of threads were, gathered while a trace is loaded, in bounded memory: where
 * there are too many entries, those of a thread in the same step of time become one, and steps become longer.
 * One thread.
 */
#ifndef EVPROF_REPORTER_EXPORT_SUM_LOG_H
#define EVPROF_REPORTER_EXPORT_SUM_LOG_H

#include "reporter/load/load.h"

/* A sum, or a part of it, and a time in which it may have passed. */
struct ep_sum_entry {
	uint32_t thread_idx;
	uint32_t idx; /* in the trace's waits, or its regions */
	bool is_region;
	uint64_t start_us, end_us;  /* since the process's birth */
	uint64_t first_us, last_us; /* of all times over which the sum may have passed */
	double n, ns;
	double cpu_ns; /* of slices that ended in the region */
	uint64_t longest_ns;
};

#define EP_SUM_LOG_MOST 500000 /* 40 MB */

/* Begins as zero but for most. */
struct ep_sum_log {
	uint32_t most;
	struct ep_sum_entry *entries; /* (n_entries) */
	uint32_t n_entries, capacity;
	uint64_t step_us; /* 0: no entries became one yet */
};

int ep_sum_log_see(struct ep_sum_log *log, const struct ep_seen_sum *sum) EP_MUST_CHECK;
/* Adds CPU time to the region that its slice ended in. */
int ep_sum_log_see_time(struct ep_sum_log *log, const struct ep_seen_time *time) EP_MUST_CHECK;
void ep_sum_log_finish(struct ep_sum_log *log);

#endif
