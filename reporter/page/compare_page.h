/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the comparison of two programs' runs as one HTML file. Its flame graph is coloured by the change of time, and
 * rows of its tables are grey if the change may be due to chance. All of this runs on one thread.
 */
#ifndef EVPROF_REPORTER_PAGE_COMPARE_PAGE_H
#define EVPROF_REPORTER_PAGE_COMPARE_PAGE_H

#include "reporter/compare/compare.h"
#include "reporter/symbolize/symbolize.h"

#include <errno.h>

struct ep_compared_trace {
	struct ep_trace *trace;
	struct ep_symbols *symbols;
	const struct ep_report *report;
};

struct ep_compare_page_source {
	/* Comparisons of the same runs by procedures, by lines, by modules and by loops, in this order. There may be
	 * fewer: n_tables is their number. */
	const struct ep_comparison *const *tables;
	uint32_t n_tables;
	const struct ep_compared_counts
		*counts; /* (n_tables) the counts that explain each table's changes */
	const struct ep_compared_trace *runs; /* the runs before, then the runs after */
};

#if EP_HAS_PAGE

/* Returns 0 or -ENOMEM. A failed write is not an error here: ferror(out) tells it. */
int ep_compare_page_write(FILE *out, const struct ep_compare_page_source *source) EP_MUST_CHECK;

#else

static inline EP_MUST_CHECK int ep_compare_page_write(
	FILE *out, const struct ep_compare_page_source *source)
{
	return -ENOSYS;
}

#endif

#endif
