/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps where each thread was at which time, while a trace is loaded. Memory is bounded: where there are too many
 * entries, neighbouring entries of a thread are merged. The result has all their time, and the place of one of them,
 * drawn in proportion to their times. One thread.
 */
#ifndef EVPROF_REPORTER_EXPORT_TIME_LOG_H
#define EVPROF_REPORTER_EXPORT_TIME_LOG_H

#include "reporter/export/count_log.h"
#include "reporter/export/sum_log.h"
#include "reporter/load/load.h"

struct ep_time_entry {
	uint32_t path_idx;
	uint32_t n_merged;
	uint64_t end_us, wall_us, cpu_us; /* as in struct ep_seen_time */
};

struct ep_thread_log {
	struct ep_time_entry *entries; /* (n_entries) in the order of time */
	uint32_t n_entries, capacity;
};

/* Most entries, and counts, where phases are looked for. All commands use the same number: otherwise phases would
 * have other numbers than --phase takes. */
#define EP_PHASE_LOG_MOST 2000000

/* Only most, counts and sums are set at the beginning; all other members are 0. */
struct ep_time_log {
	uint32_t most; /* most entries of all threads */
	uint32_t n_entries;
	/* number of times that are merged into an entry; 0: none were seen yet */
	uint32_t n_per_entry;
	struct ep_thread_log *threads; /* (n_threads) log of each thread, by the trace's index */
	uint32_t n_threads, capacity;
	struct ep_count_log *counts; /* log of the counts; NULL: counts are not needed */
	/* log of the sums of waits and regions; NULL: they are not needed */
	struct ep_sum_log *sums;
};

/* Adds times of a thread. It is the function see_times of ep_load_options; seer is a struct ep_time_log. Returns 0 or
 * -ENOMEM. */
int ep_time_log_see(void *log, const struct ep_seen_time *times, uint32_t n_times) EP_MUST_CHECK;
/* Adds a sum to a log that has sums. It is the function see_sum of ep_load_options. Returns 0 or -ENOMEM. */
int ep_time_log_see_sum(void *log, const struct ep_seen_sum *sum) EP_MUST_CHECK;
/* Empties the log, its counts and its sums, which may then be used again. It is the function forget_seen of
 * ep_load_options. */
void ep_time_log_forget(void *log);
void ep_time_log_finish(struct ep_time_log *log);

/* Sets *behind_us to the part of a slice's time that lies behind entry i; parts in the kernel come first. It is
 * for a walk from entry 0 on, with the same variable in each step: the variable has the result of the step before,
 * so that a walk takes linear time even if many entries end at the same moment. */
void ep_thread_log_step(const struct ep_thread_log *log, uint32_t i, uint64_t *behind_us);
/* Sets, for each path (n_paths, zeros before), the factor from the log's time to the trace's sums. The sums leave
 * out time in which a host had the CPU, and the log includes it. Where entries were merged, their places are
 * drawn, and all factors are 1. */
void ep_time_log_find_factors(
	const struct ep_time_log *log, const struct ep_trace *trace, double *out_factors);

#endif
