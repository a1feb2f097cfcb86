/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums of a batch's slices by the path that they end in, in a table small enough for the CPU's cache: a batch
 * has some thousand slices and some hundred paths. The sums of the paths themselves, which are scattered in
 * memory, are touched once in a batch.
 */
#ifndef EVPROF_REPORTER_LOAD_PATH_ROWS_H
#define EVPROF_REPORTER_LOAD_PATH_ROWS_H

#include "reporter/load/load.h"

struct slice_batch;

/* 64 bytes, one cache line */
struct path_row {
	uint32_t path_idx;
	/* index of the path [kernel] beneath this path; EP_PATH_ROOT: this batch adds no time to it */
	uint32_t kernel_path_idx;
	uint64_t n_samples, cpu_us, not_system_us;
	double squares;     /* sum of the squares of each slice's cpu_us */
	uint64_t slices_us; /* time of all slices, hidden time included */
	/* hidden time beneath this path, from its slices and from the slice that follows each of them */
	uint64_t kernel_us;
	double kernel_squares; /* sum of the squares of these times */
};

/* The places of a path, and sums over the judgements of its slices (load/mixing.h). */
struct path_places {
	uint32_t places[EP_N_PLACE_KINDS];
	uint32_t n_mixed[EP_N_PLACE_KINDS], n_away[EP_N_PLACE_KINDS];
};

/* Sums of one event's counts, and of their squares, over slices which all measured the event. */
struct path_count {
	double measured, squares;
};

/* The rows of a batch. All zero is a valid start; one object serves all batches of a loader. */
struct ep_path_rows {
	uint32_t *of_path; /* (n_paths) index of the path's row plus one; all 0 between batches */
	uint32_t n_paths;
	struct path_row *rows; /* (n_rows) a row for each path of the batch */
	uint32_t n_rows, capacity;
	uint32_t *of_slice; /* (n_slices) the row of each slice of the batch */
	uint32_t n_slices;
	struct path_count *counts; /* (n_rows) counts of the event being added */
	uint32_t n_counts;
	struct path_places *places; /* (n_rows) places of each row's path */
	uint32_t n_places;
};

/* Makes room for the batch's slices and paths. 0 or -ENOMEM. */
int ep_path_rows_begin(struct slice_batch *batch) EP_MUST_CHECK;
/* Adds the row of a path that has none. 0 or -ENOMEM. */
int ep_path_rows_add(struct ep_path_rows *rows, uint32_t path_idx, uint32_t *out_row) EP_MUST_CHECK;
/* Creates the sums of a row's path for the batch's events, where they are missing. 0 or -ENOMEM. */
int ep_path_rows_prepare(struct slice_batch *batch, uint32_t row) EP_MUST_CHECK;
/* Returns the row of a path; EP_NONE: no slice of the batch has ended in it yet. */
static inline uint32_t ep_path_rows_find(const struct ep_path_rows *rows, uint32_t path_idx)
{
	return rows->of_path[path_idx] - 1;
}
/* Adds the counts of slices, which all measured all events, to the sums of the thread and of the paths. 0 or
 * -ENOMEM. */
int ep_path_rows_add_whole(struct slice_batch *batch) EP_MUST_CHECK;
/* Makes room for the rows' places. 0 or -ENOMEM. */
int ep_path_rows_reserve_places(struct ep_path_rows *rows) EP_MUST_CHECK;
/* Adds the rows' times to the paths, the thread and the rank, and removes the rows. 0 or -ENOMEM. */
int ep_path_rows_end(struct slice_batch *batch) EP_MUST_CHECK;
void ep_path_rows_finish(struct ep_path_rows *rows);

#endif
