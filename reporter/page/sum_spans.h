/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps sums of waits or of regions for each row of the report, thread and step of the page's timeline, and limits
 * their number. All of this runs on one thread. */
#ifndef EVPROF_REPORTER_PAGE_SUM_SPANS_H
#define EVPROF_REPORTER_PAGE_SUM_SPANS_H

#include <stdint.h>

#include "common/error.h"

/* The part of a row of the report's waits or regions that one thread has in one step. */
struct ep_sum_span {
	/* row: EP_NONE stands for all rows with little time. node: the call that waited; only waits have it.
	 * thread: EP_NONE stands for all threads that are joined. */
	uint32_t row, node, thread, bin;
	double first, last; /* the steps from first to last may hold times of this part */
	double n, ns, cpu_ns, longest_ns;
};

struct ep_sum_spans {
	struct ep_sum_span *spans; /* (n_spans) */
	uint32_t n_spans, capacity;
	/* ep_sum_spans_bound sets these: */
	uint32_t bins_joined; /* how many steps of the timeline are one bin of the spans */
	uint32_t n_threads;   /* how many first threads stay apart; the others are joined */
	double least_share; /* rows with a smaller share are joined; 0: none; 1 and more: any may be */
};

struct ep_sum_bounds {
	uint32_t most; /* most spans that may stay */
	uint32_t n_rows, n_threads;
	/* (n_rows) for regions: the earlier row of the region around this one, or EP_NONE. NULL for waits. */
	const uint32_t *around;
};

/* Adds a span. Returns 0 or -ENOMEM. */
int ep_sum_spans_add(struct ep_sum_spans *spans, const struct ep_sum_span *span) EP_MUST_CHECK;
/*
 * Merges spans of the same row, thread, node and bin. While there are still too many, it changes them step by step:
 * 1. it makes the bins longer, eight times at most;
 * 2. it joins the rows with less than 1 % of the time;
 * 3. it joins all threads but the first ones;
 * 4. it joins rows with larger shares;
 * 5. it joins threads and rows together.
 * The CPU time of a region that is joined goes to the region around it. Waits that are joined have node 0, the root of
 * all calls. A change that does not lower the number of spans is not made. Returns 0 or -ENOMEM.
 */
int ep_sum_spans_bound(
	struct ep_sum_spans *spans, const struct ep_sum_bounds *bounds) EP_MUST_CHECK;
void ep_sum_spans_finish(struct ep_sum_spans *spans);

#endif
