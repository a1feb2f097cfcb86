/* SPDX-License-Identifier: BSD-3-Clause */
/* Dynamic time warping: how well two series agree when time may stretch. */
#ifndef EVPROF_REPORTER_ESTIMATE_DTW_H
#define EVPROF_REPORTER_ESTIMATE_DTW_H

#include <stddef.h>
#include <stdint.h>

/* Least sum of |a[i] - b[j]| over all warping paths from (0, 0) to the last pair with steps (1, 0),
 * (0, 1), (1, 1); exact. band: Sakoe and Chiba's |i - j| <= max(band, |n - m|), 0 for none.
 * a (n), b (m), both at least 1 long. NaN when out of memory. */
double ep_dtw_cost(const double *a, size_t n, const double *b, size_t m, size_t band);

/* Slice i of a run meets slices first[i]..last[i] of another one. */
struct ep_dtw_match {
	size_t n;
	uint32_t *first, *last; /* (n) */
};

/* The path itself, between series of K values per step: a (n, K), b (m, K), row by row; the
 * distance of two steps is the sum of |difference|, and of equal paths the one nearest to step by
 * step is taken. The band follows the line between the corners and is narrowed where n m is more
 * than memory should hold. 0 or -ENOMEM. */
int ep_dtw_match(const double *a, size_t n, const double *b, size_t m, size_t k, size_t band,
	struct ep_dtw_match *out_match);
void ep_dtw_match_finish(struct ep_dtw_match *match);

#endif
