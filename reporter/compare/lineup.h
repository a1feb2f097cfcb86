/* SPDX-License-Identifier: BSD-3-Clause */
/* Three programs or more side by side, as a scaling series by ranks or threads is, each held against
 * the first. */
#ifndef EVPROF_REPORTER_COMPARE_LINEUP_H
#define EVPROF_REPORTER_COMPARE_LINEUP_H

#include "reporter/compare/counts.h"

/* A procedure, line or file; self time. */
struct ep_lineup_row {
	const char *name, *module_name;
	const char *file; /* of a line; NULL: none */
	uint32_t line;
	uint32_t named_by; /* the last column that has it, whose name, file and line these are */
	/* Its procedure's name, file and line in the first column, where a later one's are others; else NULL and 0 */
	const char *was, *was_file;
	uint32_t was_line;
	double *ns;           /* (n_columns) means of a column's runs; 0: not seen there */
	double last_variance; /* of the last column's time less the first's */
	double least_sure;    /* of that change (compare.h) */
	/* (n_columns) its row in the comparison of each column but the first; NULL: there is none */
	const struct ep_compared_row **compared;
};

struct ep_lineup_column {
	const struct ep_report *report; /* of several runs: typical (compare.h) */
	uint32_t n_runs;
	uint32_t n_workers; /* MPI's ranks where columns differ in them, else threads */
	/* The first column's time on the clock over this one's; NaN: not known, or valgrind simulated one of them */
	double speedup;
	double efficiency; /* the same for workers times clock; NaN: not known, or all have as many */
};

struct ep_lineup {
	struct ep_lineup_column *columns; /* (n_columns) in the order given */
	uint32_t n_columns;
	bool has_ranks;       /* workers are ranks */
	bool is_scaling;      /* columns differ in workers */
	uint32_t n_simulated; /* columns, by valgrind */
	bool is_exact;        /* of all columns callgrind's estimate is known */
	enum ep_by by;
	struct ep_lineup_row *rows; /* (n_rows) largest change from first to last first */
	uint32_t n_rows;
	double *times; /* the memory that the rows point into */
	const struct ep_compared_row **compared;
	struct ep_comparison *comparisons; /* (n_columns - 1) of the first with each other */
	struct ep_compared_counts *counts; /* (n_columns - 1) of these; NULL: none were looked at */
	struct ep_strings texts;
	const char *in_short[4];
	uint32_t n_in_short;
};

/* runs: (n, 2 and more) each column's, which must live as long as out. 0 or -ENOMEM. */
int ep_lineup_create(const struct ep_compared_runs *runs, uint32_t n, enum ep_by by,
	struct ep_lineup *out) EP_MUST_CHECK;
void ep_lineup_finish(struct ep_lineup *series);
static inline double ep_lineup_change(
	const struct ep_lineup *series, const struct ep_lineup_row *row)
{
	return row->ns[series->n_columns - 1] - row->ns[0];
}
/* Counts what explains the largest sure changes from the first to the last. runs: those of ep_lineup_create; cpuid:
 * as in struct ep_count_question. 0 or -ENOMEM. */
int ep_lineup_count(struct ep_lineup *series, const struct ep_compared_runs *runs,
	const char *cpuid) EP_MUST_CHECK;
/* A value that explains a row's change, of one column; NULL: that column has no number of it. */
const struct ep_quantity *ep_lineup_value(const struct ep_lineup *series,
	const struct ep_lineup_row *row, const struct ep_compared_value *value,
	uint32_t column_idx);
/* Returns what explains the row's change; NULL: that was not asked. */
const struct ep_place_counts *ep_lineup_explaining(
	const struct ep_lineup *series, const struct ep_lineup_row *row);
/* The same as an array; NULL. */
struct json_object *ep_lineup_explaining_json(
	const struct ep_lineup *series, const struct ep_lineup_row *row);
/* lineup_words.c fills in_short. 0 or -ENOMEM. */
int ep_lineup_explain(struct ep_lineup *series) EP_MUST_CHECK;

/* lineup_view.c. 0 or -ENOMEM; what could not be written shows in ferror(out). */
struct ep_lineup_page {
	const struct ep_lineup *series;
	struct ep_view_options options;
	uint32_t top; /* rows, 0: all */
};
int ep_lineup_print_text(const struct ep_lineup_page *page, FILE *out) EP_MUST_CHECK;
int ep_lineup_print_json(const struct ep_lineup_page *page, FILE *out) EP_MUST_CHECK;

#endif
