/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums of a batch's slices for each path that they end in, in a table which a cache holds: a batch has some
 * thousand slices and some hundred paths. Each path's own sums, which lie anywhere, are met once for a batch.
 */
#ifndef EVPROF_REPORTER_LOAD_PATH_ROWS_H
#define EVPROF_REPORTER_LOAD_PATH_ROWS_H

#include "reporter/load/load.h"

struct slice_batch;

struct path_row {
	uint32_t path_idx;
	struct ep_cost cost; /* without hidden_us, which is of other paths */
	double squares;      /* of cpu_us */
	uint64_t slices_us;  /* all of the slices, hidden time too */
};

/* Counts of one event, of slices that all measured it. */
struct path_count {
	double measured, squares;
};

/* Begins as zero; one serves all batches of a loader. */
struct ep_path_rows {
	uint32_t *of_path; /* (n_paths) index plus one; all 0 between batches */
	uint32_t n_paths;
	struct path_row *rows; /* (n_rows) */
	uint32_t n_rows, capacity;
	uint32_t *of_slice; /* (n_slices) of the batch */
	uint32_t n_slices;
	struct path_count *counts; /* (n_rows) of the event at hand */
	uint32_t n_counts;
};

/* Makes room for the batch. 0 or -ENOMEM. */
int ep_path_rows_begin(struct slice_batch *batch) EP_MUST_CHECK;
/* The row of slice i, which is made at the path's first slice, with its sums. NULL: out of memory. */
struct path_row *ep_path_rows_of(struct slice_batch *batch, uint32_t i);
/* Adds counts of all slices, which measured all events, to the thread's sums, and to the paths'. 0 or -ENOMEM. */
int ep_path_rows_add_whole(struct slice_batch *batch) EP_MUST_CHECK;
/* Adds times to the paths and to the rank, and ends the rows. 0 or -ENOMEM. */
int ep_path_rows_end(struct slice_batch *batch) EP_MUST_CHECK;
void ep_path_rows_finish(struct ep_path_rows *rows);

#endif
