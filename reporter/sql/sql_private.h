/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares what the files of this folder share. Each file fills some tables; struct ep_db keeps the first error. */
#ifndef EVPROF_REPORTER_SQL_SQL_PRIVATE_H
#define EVPROF_REPORTER_SQL_SQL_PRIVATE_H

#include "reporter/sql/db_private.h"

/* The column in the table slices for an event. */
struct ep_slice_column {
	char *name;     /* NULL: the event has no column */
	uint32_t index; /* index among the columns of events */
};

struct ep_sql_slices {
	struct ep_rows rows;
	struct ep_slice_column *columns; /* (n_events) by the event's index in the trace */
	uint32_t n_events, n_columns;
	double *counts; /* (n_columns) counts of one slice; NaN: not measured */
	/* end_us counts from here, on the clock of the first process in the trace */
	uint64_t base_us;
};

struct ep_sql {
	struct ep_db db;
	struct ep_sql_slices slices;
	/* (n_symbols) row of each procedure in the table places, from 1; 0: the symbol has no row */
	uint32_t *place_of_symbol;
	uint32_t n_symbols;
	uint32_t *place_of_loop; /* (n_loops) row of each loop in places, from 1; 0: it has none */
	uint32_t n_loops;
};

/* Adds a row to the table slices (sql_slices.c). */
void ep_sql_add_slice(struct ep_sql *sql, const struct ep_seen_time *time);
/* Called after the last slice. Changes end_us of all slices so that it counts from the beginning of the run. */
void ep_sql_finish_slices(struct ep_sql *sql, const struct ep_trace *trace);
void ep_sql_free_slices(struct ep_sql_slices *slices);
/* Returns the column of the table slices that has the event's counts. NULL: there is no such column. */
const char *ep_sql_slice_column(const struct ep_sql *sql, uint32_t event_idx);

void ep_sql_write_lists(struct ep_sql *sql, const struct ep_sql_source *source);
/* Called after ep_sql_write_lists(), since waits refer to threads. */
void ep_sql_write_waits(struct ep_sql *sql, const struct ep_sql_source *source);
/* Called before ep_sql_write_tree(), since the tree refers to places. */
void ep_sql_write_places(struct ep_sql *sql, const struct ep_sql_source *source);
void ep_sql_write_tree(struct ep_sql *sql, const struct ep_sql_source *source);
/* Puts the innermost loop at a path's address into a row, or NULL if there is none (sql_loops.c). */
void ep_sql_put_loop_of_path(
	struct ep_rows *rows, const struct ep_sql_source *source, uint32_t path_idx);
/* Writes the loops that rows of other tables refer to. Called after ep_sql_write_tree(), which finds them. */
void ep_sql_write_loops(struct ep_sql *sql, const struct ep_sql_source *source);

/* Puts the columns of a count. The caller has already put the columns before them, which say what the count
 * belongs to. */
void ep_row_value(struct ep_rows *rows, uint32_t event_idx, const struct ep_report_value *value);
static inline void ep_row_flag(struct ep_rows *rows, bool flag)
{
	ep_row_count(rows, flag);
}

/* Puts a number, or NULL for 0. */
static inline void ep_row_some(struct ep_rows *rows, uint64_t number)
{
	if (number)
		ep_row_count(rows, number);
	else
		ep_row_null(rows);
}

static inline void ep_row_quantity(struct ep_rows *rows, const struct ep_quantity *quantity)
{
	ep_row_number(rows, ep_quantity_or(quantity, NAN));
}

#endif
