/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums of a batch's slices for each path that they end in, in a table which a cache holds: a batch has some
 * thousand slices and some hundred paths. Each path's own sums, which lie anywhere, are met once for a batch.
 */
#ifndef EVPROF_REPORTER_LOAD_PATH_ROWS_H
#define EVPROF_REPORTER_LOAD_PATH_ROWS_H

#include "reporter/load/load.h"

struct slice_batch;

/* 64 bytes, a line of the cache */
struct path_row {
	uint32_t path_idx;
	uint32_t kernel_path_idx; /* of [kernel] beneath it; EP_PATH_ROOT: it has no time here */
	uint64_t n_samples, cpu_us, not_system_us;
	double squares;     /* of cpu_us of each slice */
	uint64_t slices_us; /* all of the slices, hidden time too */
	uint64_t kernel_us; /* of [kernel] beneath it, from these slices and the ones behind them */
	double kernel_squares; /* of each such time */
};

/* Where a path is, and its slices that may be mixed (load/mixing.h). */
struct path_places {
	uint32_t places[EP_N_PLACE_KINDS];
	uint32_t n_mixed[EP_N_PLACE_KINDS], n_away[EP_N_PLACE_KINDS];
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
	struct path_places *places; /* (n_rows) */
	uint32_t n_places;
};

/* Makes room for the batch. 0 or -ENOMEM. */
int ep_path_rows_begin(struct slice_batch *batch) EP_MUST_CHECK;
/* Makes the row of a path that has none. 0 or -ENOMEM. */
int ep_path_rows_add(struct ep_path_rows *rows, uint32_t path_idx, uint32_t *out_row) EP_MUST_CHECK;
/* Makes the sums of a row's path, where there are none, for what the batch adds. 0 or -ENOMEM. */
int ep_path_rows_prepare(struct slice_batch *batch, uint32_t row) EP_MUST_CHECK;
/* The row of a path; EP_NONE: the batch has met no slice of it. */
static inline uint32_t ep_path_rows_find(const struct ep_path_rows *rows, uint32_t path_idx)
{
	return rows->of_path[path_idx] - 1;
}
/* Adds counts of all slices, which measured all events, to the thread's sums, and to the paths'. 0 or -ENOMEM. */
int ep_path_rows_add_whole(struct slice_batch *batch) EP_MUST_CHECK;
/* Makes room for the rows' places. 0 or -ENOMEM. */
int ep_path_rows_reserve_places(struct ep_path_rows *rows) EP_MUST_CHECK;
/* Adds times to the paths and to the rank, and ends the rows. 0 or -ENOMEM. */
int ep_path_rows_end(struct slice_batch *batch) EP_MUST_CHECK;
void ep_path_rows_finish(struct ep_path_rows *rows);

#endif
