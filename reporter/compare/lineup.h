/* SPDX-License-Identifier: BSD-3-Clause */
/* Three programs or more side by side, as a scaling series by ranks or threads is, each held against
 * the first. */
#ifndef EVPROF_REPORTER_COMPARE_LINEUP_H
#define EVPROF_REPORTER_COMPARE_LINEUP_H

#include "reporter/compare/compare.h"

/* A procedure, line or file; self time. */
struct ep_lineup_row {
	const char *name, *module_name;
	const char *file; /* of a line; NULL: none */
	uint32_t line;
	double *ns;           /* (n_columns) means of a column's runs; 0: not seen there */
	double last_variance; /* of the last column's time less the first's */
};

struct ep_lineup_column {
	const struct ep_report *report; /* of several runs: typical (compare.h) */
	uint32_t n_runs;
	uint32_t n_workers; /* MPI's ranks where columns differ in them, else threads */
	double speedup; /* the first column's time on the clock over this one's; NaN: not known */
	double efficiency; /* the same for workers times clock; NaN: not known, or all have as many */
};

struct ep_lineup {
	struct ep_lineup_column *columns; /* (n_columns) in the order given */
	uint32_t n_columns;
	bool has_ranks;  /* workers are ranks */
	bool is_scaling; /* columns differ in workers */
	enum ep_by by;
	struct ep_lineup_row *rows; /* (n_rows) largest change from first to last first */
	uint32_t n_rows;
	double *times;                     /* the memory that the rows point into */
	struct ep_comparison *comparisons; /* (n_columns - 1) of the first with each other */
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
