/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares three or more programs, for example a scaling series by ranks or threads. Each program is a column, and
 * is compared with the first. */
#ifndef EVPROF_REPORTER_COMPARE_LINEUP_H
#define EVPROF_REPORTER_COMPARE_LINEUP_H

#include "reporter/compare/counts.h"

/* A procedure, line or file with its self time in each column. */
struct ep_lineup_row {
	const char *name, *module_name;
	const char *file; /* the file of a line or loop; NULL: the row is neither */
	uint32_t line;
	/* the last column that has the row; name, file and line are that column's */
	uint32_t named_by;
	/* The row's name, file and line in the first column, if they differ from a later column's; else NULL
	 * and 0 */
	const char *was, *was_file;
	uint32_t was_line;
	double *ns;           /* (n_columns) mean time of each column's runs; 0: no time there */
	double last_variance; /* variance of the last column's time minus the first's */
	/* the smallest change from first to last that is not explained by chance (compare.h) */
	double least_sure;
	/* (n_columns) the row in the comparison of the first column with each column; NULL: it has no such
	 * row, or the column is the first */
	const struct ep_compared_row **compared;
};

struct ep_lineup_column {
	/* the report of one run, or a typical report of several (compare.h) */
	const struct ep_report *report;
	uint32_t n_runs;
	uint32_t n_workers; /* MPI ranks, if columns differ in their number; else threads */
	/* The first column's time on the clock divided by this column's; NaN: a time is not known, or
	 * valgrind simulated one of the two */
	double speedup;
	/* the speedup divided by the ratio of numbers of workers; NaN: not known, or all columns have the
	 * same number */
	double efficiency;
};

struct ep_lineup {
	struct ep_lineup_column *columns; /* (n_columns) in the order given */
	uint32_t n_columns;
	bool has_ranks;       /* workers are ranks */
	bool is_scaling;      /* columns differ in their number of workers */
	uint32_t n_simulated; /* how many columns valgrind simulated */
	bool is_exact;        /* callgrind's estimate is known for all columns */
	enum ep_by by;
	/* (n_rows) by the change from the first column to the last, the largest first */
	struct ep_lineup_row *rows;
	uint32_t n_rows;
	double *times; /* the memory that the rows point into */
	const struct ep_compared_row **compared;
	/* (n_columns - 1) comparisons of the first column with each other one */
	struct ep_comparison *comparisons;
	/* (n_columns - 1) counts that explain these comparisons; NULL: none were looked at */
	struct ep_compared_counts *counts;
	struct ep_strings texts;
	const char *in_short[4];
	uint32_t n_in_short;
};

/* Compares n columns, at least 2. runs (n) are the runs of each column, and must live as long as out. Returns 0 or
 * -ENOMEM. */
int ep_lineup_create(const struct ep_compared_runs *runs, uint32_t n, enum ep_by by,
	struct ep_lineup *out) EP_MUST_CHECK;
void ep_lineup_finish(struct ep_lineup *series);
static inline double ep_lineup_change(
	const struct ep_lineup *series, const struct ep_lineup_row *row)
{
	return row->ns[series->n_columns - 1] - row->ns[0];
}
/* Finds the counts that explain the largest sure changes from the first column to the last. runs:
 * as given to ep_lineup_create; cpuid: as in struct ep_count_question. Returns 0 or -ENOMEM. */
int ep_lineup_count(struct ep_lineup *series, const struct ep_compared_runs *runs,
	const char *cpuid) EP_MUST_CHECK;
/* Returns one column's value of a count that explains a row's change; NULL: the column has no
 * number for it. */
const struct ep_quantity *ep_lineup_value(const struct ep_lineup *series,
	const struct ep_lineup_row *row, const struct ep_compared_value *value,
	uint32_t column_idx);
/* Returns the counts that explain the row's change; NULL: they were not looked for. */
const struct ep_place_counts *ep_lineup_explaining(
	const struct ep_lineup *series, const struct ep_lineup_row *row);
/* Returns the counts that explain the row's change as a JSON array; NULL: they were not looked for. */
struct json_object *ep_lineup_explaining_json(
	const struct ep_lineup *series, const struct ep_lineup_row *row);
/* Fills in_short (lineup_words.c). Returns 0 or -ENOMEM. */
int ep_lineup_explain(struct ep_lineup *series) EP_MUST_CHECK;

/* The page of a series. The two printers (lineup_view.c) return 0 or -ENOMEM; failed writes show in ferror(out). */
struct ep_lineup_page {
	const struct ep_lineup *series;
	struct ep_view_options options;
	uint32_t top; /* the most rows that are shown; 0: all */
};
int ep_lineup_print_text(const struct ep_lineup_page *page, FILE *out) EP_MUST_CHECK;
int ep_lineup_print_json(const struct ep_lineup_page *page, FILE *out) EP_MUST_CHECK;

#endif
