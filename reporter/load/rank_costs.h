/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPU time of call paths, by rank. After all is read, the times of paths are corrected for the ends of
 * threads, hidden kernel time and system calls (load/time_places.h). The ranks' times are corrected in the
 * same way, so that the times of all ranks add up exactly to the report's sums.
 */
#ifndef EVPROF_REPORTER_LOAD_RANK_COSTS_H
#define EVPROF_REPORTER_LOAD_RANK_COSTS_H

#include "reporter/load/loader.h"

/* Adds CPU time of a thread in a path; does nothing if the thread's process has no rank. 0 or -ENOMEM. */
int ep_rank_cost_see(struct ep_trace *trace, const struct ep_trace_thread *thread,
	uint32_t path_idx, uint64_t us, bool is_of_calls) EP_MUST_CHECK;
/* Appends a row; the thread must not have one for this path and kind yet. 0 or -ENOMEM. */
int ep_rank_cost_append(struct ep_trace *trace, const struct ep_rank_cost *cost) EP_MUST_CHECK;
/* Sorts the rows by thread, kind and path, so that the result of weighing does not depend on the order in
 * which rows were added. After that no more time of these threads can be added. */
void ep_rank_costs_sort(struct ep_trace *trace);

/* Finds the row of a path's samples in a thread, after sorting; NULL: there is none, or ranks are not
 * weighed. */
struct ep_rank_cost *ep_rank_cost_find(
	struct ep_trace *trace, uint32_t thread_idx, uint32_t path_idx);

/* A path's time before weighing, of samples or of ticks that look for system calls: the whole time, and the
 * part of processes with a rank. */
struct ep_rank_share {
	uint64_t path_us, ranks_us;
};

/* How the ranks' part of a path's time is weighed. */
struct ep_rank_weight {
	uint64_t from_us, to_us; /* the ranks' time before and after weighing */
	/* running sums of the rows done so far: before and after weighing */
	uint64_t seen_us, given_us;
	double factor;
};

/* Weights by row: one row for each of the paths' costs, and one more for all paths without costs, whose time
 * stays the same. */
struct ep_rank_weights {
	uint32_t *row_of; /* (n_paths) NULL: nothing is weighed */
	uint32_t n_rows;
	/* (n_rows) [0] for samples, [1] for ticks that look for system calls */
	struct ep_rank_share *shares[2];
	/* (n_rows) as shares; a separate table, so that it fits the CPU's cache */
	struct ep_rank_weight *weights[2];
};

/* Remembers the times of paths before they are weighed. 0 or -ENOMEM. */
int ep_rank_weights_begin(
	struct ep_trace *trace, struct ep_rank_weights *out_weights) EP_MUST_CHECK;
/* Gives each rank its part of the weighed times, and frees weights. */
void ep_rank_weights_apply(struct ep_trace *trace, struct ep_rank_weights *weights);

#endif
