/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPU time of call paths, by rank. What ends of threads, the kernel's hidden time and looks for system calls
 * make of a path's time once all is read (load/time_places.h) is made of its ranks' times, too: a table over
 * ranks has the report's sums, to the microsecond.
 */
#ifndef EVPROF_REPORTER_LOAD_RANK_COSTS_H
#define EVPROF_REPORTER_LOAD_RANK_COSTS_H

#include "reporter/load/loader.h"

/* Adds time of a thread; of one that is no rank's nothing. 0 or -ENOMEM. */
int ep_rank_cost_see(struct ep_trace *trace, const struct ep_trace_thread *thread,
	uint32_t path_idx, uint64_t us, bool is_of_calls) EP_MUST_CHECK;
/* Appends a row that the thread does not have yet. 0 or -ENOMEM. */
int ep_rank_cost_append(struct ep_trace *trace, const struct ep_rank_cost *cost) EP_MUST_CHECK;
/* By thread, path and kind: whatever the order in which they came, they are weighed in one. No more can be
 * seen of these threads. */
void ep_rank_costs_sort(struct ep_trace *trace);

/* Time of samples, once all are sorted; NULL: there is none, or none that is weighed. */
struct ep_rank_cost *ep_rank_cost_find(
	struct ep_trace *trace, uint32_t thread_idx, uint32_t path_idx);

/* A path's time as read, of samples or of looks: in all, and of those that are ranks. */
struct ep_rank_share {
	uint64_t path_us, ranks_us;
};

/* How the ranks' time in it is weighed. */
struct ep_rank_weight {
	uint64_t from_us, to_us;    /* of the ranks now, and when it is weighed */
	uint64_t seen_us, given_us; /* of both, what was gone through */
	double factor;
};

/* Rows are those of paths' costs, and one more for paths without: their time stays. */
struct ep_rank_weights {
	uint32_t *row_of; /* (n_paths) NULL: nothing is weighed */
	uint32_t n_rows;
	struct ep_rank_share *shares[2]; /* (n_rows) of samples, of looks */
	struct ep_rank_weight
		*weights[2]; /* (n_rows) in a table of their own, which a cache holds */
};

/* Remembers the times of paths before they are weighed. 0 or -ENOMEM. */
int ep_rank_weights_begin(
	struct ep_trace *trace, struct ep_rank_weights *out_weights) EP_MUST_CHECK;
/* Gives ranks their part of the weighed times, and frees weights. */
void ep_rank_weights_apply(struct ep_trace *trace, struct ep_rank_weights *weights);

#endif
