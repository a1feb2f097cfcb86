/* SPDX-License-Identifier: BSD-3-Clause */
/* Dynamic time warping: compares two series whose time may be stretched. */
#ifndef EVPROF_REPORTER_ESTIMATE_DTW_H
#define EVPROF_REPORTER_ESTIMATE_DTW_H

#include <stddef.h>
#include <stdint.h>

/* Returns the least sum of |a[i] - b[j]| over all warping paths from (0, 0) to the last pair, with steps (1,
 * 0), (0, 1) and (1, 1); the result is exact. band: Sakoe and Chiba's |i - j| <= max(band, |n - m|), 0 for
 * none. a (n) and b (m) have at least one element. NaN: out of memory. */
double ep_dtw_cost(const double *a, size_t n, const double *b, size_t m, size_t band);

/* The match of two runs: slice i of one run matches slices first[i] to last[i] of the other. */
struct ep_dtw_match {
	size_t n;
	uint32_t *first, *last; /* (n) ranges of matching slices */
};

/* Finds the path between series with K values per step: a (n, K), b (m, K), row by row. The distance of two
 * steps is the sum of |difference|; of equally good steps of the path, (1, 1) is taken. The band follows the
 * line between the first and the last pair, and is narrowed if n times m cells would take too much memory. 0
 * or -ENOMEM. */
int ep_dtw_match(const double *a, size_t n, const double *b, size_t m, size_t k, size_t band,
	struct ep_dtw_match *out_match);
void ep_dtw_match_finish(struct ep_dtw_match *match);

#endif
