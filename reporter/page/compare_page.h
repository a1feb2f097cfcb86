/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two programs' runs as one HTML file: a flame graph coloured by the change, and tables, grey where the
 * change may be chance. One thread.
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
	/* By procedures, lines, modules and loops, of the same runs; the first n_tables of them */
	const struct ep_comparison *const *tables;
	uint32_t n_tables;
	const struct ep_compared_counts *counts; /* (n_tables) what explains each table's changes */
	const struct ep_compared_trace *runs;    /* those before, then those after */
};

#if EP_HAS_PAGE

/* 0 or -ENOMEM; what could not be written shows in ferror(out). */
int ep_compare_page_write(FILE *out, const struct ep_compare_page_source *source) EP_MUST_CHECK;

#else

static inline EP_MUST_CHECK int ep_compare_page_write(
	FILE *out, const struct ep_compare_page_source *source)
{
	return -ENOSYS;
}

#endif

#endif
