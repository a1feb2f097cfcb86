/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps in which call path each thread was at which time, while a trace is loaded. Memory is bounded: if there are too
 * many entries, neighbouring entries of a thread are merged. The merged entry has the time of all of them and the call
 * path of one of them, drawn at random in proportion to their CPU times. All of this runs on one thread.
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

/* Largest number of entries, and of counts, in a log that serves to find phases. All commands use the same number: with
 * different ones they could find different phases, and --phase would select another phase than a report showed. */
#define EP_PHASE_LOG_MOST 2000000

/* Before its first use, only most, counts and sums are set; all other members are 0. */
struct ep_time_log {
	uint32_t most; /* largest number of entries in all threads together */
	uint32_t n_entries;
	/* largest number of times (struct ep_seen_time) that are merged into one entry; 0: none were seen yet */
	uint32_t n_per_entry;
	struct ep_thread_log *threads; /* (n_threads) log of each thread, by the trace's index */
	uint32_t n_threads, capacity;
	struct ep_count_log *counts; /* log of the counts; NULL: counts are not needed */
	/* log of the sums of waits and regions; NULL: these sums are not needed */
	struct ep_sum_log *sums;
};

/* Adds times of one thread. It serves as see_times of struct ep_load_options, whose seer must be the struct
 * ep_time_log. Returns 0 or -ENOMEM. */
int ep_time_log_see(void *log, const struct ep_seen_time *times, uint32_t n_times) EP_MUST_CHECK;
/* Adds a sum; log->sums must not be NULL. It serves as see_sum of struct ep_load_options. Returns 0 or -ENOMEM. */
int ep_time_log_see_sum(void *log, const struct ep_seen_sum *sum) EP_MUST_CHECK;
/* Empties the log, its counts and its sums, which may then be used again. It serves as forget_seen of struct
 * ep_load_options. */
void ep_time_log_forget(void *log);
void ep_time_log_finish(struct ep_time_log *log);

/* Sets *behind_us to the CPU time of the entries after entry i that end at the same moment, which are later parts of
 * the same slice; its parts in the kernel come first. The caller must call it for each entry from 0 on, with the same
 * variable: each step starts from the result before, so that all steps take linear time even if many entries end at the
 * same moment. */
void ep_thread_log_step(const struct ep_thread_log *log, uint32_t i, uint64_t *behind_us);
/* Sets, for each path, the factor by which its time in the log is multiplied to get its time in the trace's sums. The
 * sums leave out time in which a hypervisor's host had the CPU; the log includes that time. If entries were merged,
 * their paths were drawn at random, and all factors are 1. out_factors (n_paths) must be zeros before. */
void ep_time_log_find_factors(
	const struct ep_time_log *log, const struct ep_trace *trace, double *out_factors);

#endif
