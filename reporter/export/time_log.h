/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where each thread was and when, gathered while a trace is loaded, in bounded memory: where there are
 * too many entries, neighbours of a thread become one, which keeps all their time and the place of one of
 * them, drawn in proportion to their times. One thread.
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
	struct ep_time_entry *entries; /* (n_entries) */
	uint32_t n_entries, capacity;
};

/* Entries, and counts, where phases are looked for: with fewer in one command than in another, its phases would have
 * other numbers than those that --phase takes. */
#define EP_PHASE_LOG_MOST 2000000

/* Begins as zero but for most. */
struct ep_time_log {
	uint32_t most; /* entries, of all threads */
	uint32_t n_entries;
	uint32_t n_per_entry;          /* that become one entry; 0: nothing was seen yet */
	struct ep_thread_log *threads; /* (n_threads) by the trace's index */
	uint32_t n_threads, capacity;
	struct ep_count_log *counts; /* keeps the counts too; NULL: they are not wanted */
	struct ep_sum_log *sums;     /* and sums of waits and regions; likewise */
};

/* see_time of ep_load_options, whose seer is a struct ep_time_log. 0 or -ENOMEM. */
int ep_time_log_see(void *log, const struct ep_seen_time *time) EP_MUST_CHECK;
/* Likewise see_sum, for a log with sums. 0 or -ENOMEM. */
int ep_time_log_see_sum(void *log, const struct ep_seen_sum *sum) EP_MUST_CHECK;
/* forget_seen of ep_load_options: empties the log, its counts and its sums, for the same uses. */
void ep_time_log_forget(void *log);
void ep_time_log_finish(struct ep_time_log *log);

/* Sets behind_us to the part of a slice's time that lies behind entry i of it; the parts in the kernel
 * come first. For a walk from entry 0 on, with one variable: it has what the step before found, so that
 * the time of a walk is linear however many entries end at the same moment. */
void ep_thread_log_step(const struct ep_thread_log *log, uint32_t i, uint64_t *behind_us);
/* Sets for each path (n_paths, zeros before) the factor from the log's time to the trace's sums:
 * the sums leave out time in which a host had the CPU, the log includes it. Where entries are
 * merged their places are a draw, and the factors are 1. */
void ep_time_log_find_factors(
	const struct ep_time_log *log, const struct ep_trace *trace, double *out_factors);

#endif
