/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes the columns of an export by call path, or by the rows that paths are merged into. The columns are samples,
 * CPU time, and for each event its count, the part that was measured, and the standard error. All values are whole
 * numbers. All of this runs on one thread.
 */
#ifndef EVPROF_REPORTER_EXPORT_CELLS_H
#define EVPROF_REPORTER_EXPORT_CELLS_H

#include "reporter/facts/report.h"

enum ep_column_kind {
	EP_CELL_SAMPLES,
	EP_CELL_CPU,
	/* CPU time of which each moment is divided among the threads that ran then */
	EP_CELL_LATENCY,
	/* wall time off the CPU in calls that waited; the column exists only if waits were recorded */
	EP_CELL_WAITS,
	EP_CELL_EVENT,
	/* the measured part of the column before, for an event that was not counted in every slice */
	EP_CELL_MEASURED,
	/* The standard error of an event's count. Viewers add up the errors of rows that they merge; this sum is larger
	 * than the standard error of the merged count. */
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
	/* (n_rows, n_columns) values of each row without its callees. Rounding changes the sum over all rows of one
	 * procedure by at most 0.5. */
	int64_t *values;
	uint32_t n_rows;
};

struct ep_cells_source {
	struct ep_trace *trace;
	struct ep_symbols *symbols;
	const struct ep_report *report;
	const uint32_t *row_of_path; /* (n_paths) row of each path; NULL: each path is a row */
	uint32_t n_rows;
};

/* Computes the cells. Returns 0 or -ENOMEM; ep_cells_finish must be called in any case. */
int ep_cells_init(struct ep_cells *cells, const struct ep_cells_source *source) EP_MUST_CHECK;
void ep_cells_finish(struct ep_cells *cells);

/* Returns the index of a column; EP_NONE: there is no such column. */
uint32_t ep_cells_find(const struct ep_cells *cells, const char *name);
bool ep_cells_row_is_empty(const struct ep_cells *cells, uint32_t row);

static inline const int64_t *ep_cells_row(const struct ep_cells *cells, uint32_t row)
{
	return cells->values + (size_t)row * cells->n_columns;
}

#endif
