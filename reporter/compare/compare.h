/* SPDX-License-Identifier: BSD-3-Clause */
/* Two reports side by side: what takes more time, what less, and which of that may be chance. */
#ifndef EVPROF_REPORTER_COMPARE_COMPARE_H
#define EVPROF_REPORTER_COMPARE_COMPARE_H

#include "reporter/facts/report.h"
#include "reporter/view/view.h"

/* A procedure, line or file of either run; self time. */
struct ep_compared_row {
	const char *name, *module_name;
	const char *file; /* of a line; NULL: none */
	uint32_t line;
	bool is_before, is_after;
	double before_ns, after_ns;
	double variance; /* of after_ns - before_ns: samples are a draw */
};

struct ep_compared_activity {
	enum ep_activity activity;
	double before_ns, after_ns, variance;
};

struct ep_comparison {
	const struct ep_report *before, *after;
	struct ep_compared_row *rows; /* (n_rows) largest change first */
	uint32_t n_rows;
	struct ep_compared_activity
		activities[EP_N_ACTIVITIES]; /* largest change first; 0: not there */
	struct ep_strings texts;
	const char *in_short[4], *notes[8]; /* sentences */
	uint32_t n_in_short, n_notes;
};

/* Half the 95 % interval of a change with this variance. */
double ep_compare_margin(double variance);
static inline double ep_compared_change(const struct ep_compared_row *row)
{
	return row->after_ns - row->before_ns;
}
/* More than three standard errors: among hundreds of rows few are that by chance. */
bool ep_compared_is_sure(const struct ep_compared_row *row);

/* before and after: the same table of two reports, which must live as long as out. Rows that differ
 * in nothing but the module are one where that is unambiguous: a program may have been renamed.
 * 0 or -ENOMEM. */
int ep_compare(const struct ep_report *before, const struct ep_report_table *before_table,
	const struct ep_report *after, const struct ep_report_table *after_table,
	struct ep_comparison *out) EP_MUST_CHECK;
/* compare_words.c: fills in_short and notes. 0 or -ENOMEM. */
int ep_compare_explain(struct ep_comparison *comparison) EP_MUST_CHECK;
void ep_comparison_finish(struct ep_comparison *comparison);

/* view_text.c, view_json.c. 0 or -ENOMEM; what could not be written shows in ferror(out). */
struct ep_compare_page {
	const struct ep_comparison *comparison;
	struct ep_view_options options; /* by, width, utf8, colour */
	uint32_t top;                   /* rows, 0: all */
};
int ep_compare_print_text(const struct ep_compare_page *page, FILE *out) EP_MUST_CHECK;
int ep_compare_print_json(const struct ep_compare_page *page, FILE *out) EP_MUST_CHECK;

#endif
