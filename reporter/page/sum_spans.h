/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of waits or of regions by row of the report, thread and step of the page's timeline, bounded. One thread. */
#ifndef EVPROF_REPORTER_PAGE_SUM_SPANS_H
#define EVPROF_REPORTER_PAGE_SUM_SPANS_H

#include <stdint.h>

#include "common/error.h"

/* A part of a sum: of a row of the report's waits or regions, in one step of one thread. */
struct ep_sum_span {
	uint32_t row, node, thread, bin; /* row EP_NONE: of rows with little; node: of waits */
	double first, last;              /* steps of all times over which it may have passed */
	double n, ns, cpu_ns, longest_ns;
};

struct ep_sum_spans {
	struct ep_sum_span *spans; /* (n_spans) */
	uint32_t n_spans, capacity;
	uint32_t
		bins_joined; /* steps of the timeline in one of the spans'; set by ep_sum_spans_bound */
	uint32_t n_threads; /* threads that are told apart; likewise */
	double least_share; /* rows with less are one; 0: none are; 1 and more: any may be */
};

struct ep_sum_bounds {
	uint32_t most; /* spans */
	uint32_t n_rows, n_threads;
	const uint32_t *
		around; /* (n_rows) of regions: the row before it that it is in, or EP_NONE; NULL: of waits */
};

/* Adds a span. 0 or -ENOMEM. */
int ep_sum_spans_add(struct ep_sum_spans *spans, const struct ep_sum_span *span) EP_MUST_CHECK;
/*
 * Makes spans of the same place one, and, while they are too many, steps longer (eight times at most), then rows with
 * less than 1 % of the time one, then threads behind the first ones, then rows with more, then both. The CPU time of
 * a region that is no more becomes that of the one around it; waits have the root of all calls as their node then. No
 * change is made that does not lower the number of spans. 0 or -ENOMEM.
 */
int ep_sum_spans_bound(
	struct ep_sum_spans *spans, const struct ep_sum_bounds *bounds) EP_MUST_CHECK;
void ep_sum_spans_finish(struct ep_sum_spans *spans);

#endif
