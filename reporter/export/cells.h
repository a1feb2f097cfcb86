/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The columns of an export (samples, CPU time, each event with what of it was measured and its standard
 * error) and their whole numbers, by call path or by what paths are merged into. One thread.
 */
#ifndef EVPROF_REPORTER_EXPORT_CELLS_H
#define EVPROF_REPORTER_EXPORT_CELLS_H

#include "reporter/facts/report.h"

enum ep_column_kind {
	EP_CELL_SAMPLES,
	EP_CELL_CPU,
	/* CPU time, each moment of it divided among the threads that ran then. */
	EP_CELL_LATENCY,
	/* Time off the CPU in calls that waited, where that was noted. */
	EP_CELL_WAITS,
	EP_CELL_EVENT,
	/* The measured part of the column before, for an event that was not counted in every slice. */
	EP_CELL_MEASURED,
	/* A standard error. Errors of rows that are merged are added up, as viewers do, which is more
	 * than the error of the sum. */
	EP_CELL_ERROR,
};

struct ep_column {
	enum ep_column_kind kind;
	uint32_t event_idx;
	char *name;
	const char *unit;
};

struct ep_cells {
	struct ep_column *columns;
	uint32_t n_columns;
	/* (n_rows, n_columns) of self. Of the rows of one procedure each sum is off by 0.5 at most. */
	int64_t *values;
	uint32_t n_rows;
};

struct ep_cells_source {
	struct ep_trace *trace;
	struct ep_symbols *symbols;
	const struct ep_report *report;
	const uint32_t *row_of_path; /* (n_paths); NULL: each path is its own row */
	uint32_t n_rows;
};

/* 0 or -ENOMEM; finish in any case. */
int ep_cells_init(struct ep_cells *cells, const struct ep_cells_source *source) EP_MUST_CHECK;
void ep_cells_finish(struct ep_cells *cells);

/* EP_NONE: there is no such column. */
uint32_t ep_cells_find(const struct ep_cells *cells, const char *name);
bool ep_cells_row_is_empty(const struct ep_cells *cells, uint32_t row);

static inline const int64_t *ep_cells_row(const struct ep_cells *cells, uint32_t row)
{
	return cells->values + (size_t)row * cells->n_columns;
}

#endif
