/* SPDX-License-Identifier: BSD-3-Clause */
/* Dynamic time warping: how well two series agree when time may stretch. */
#ifndef EVPROF_REPORTER_ESTIMATE_DTW_H
#define EVPROF_REPORTER_ESTIMATE_DTW_H

#include <stddef.h>

/* Least sum of |a[i] - b[j]| over all warping paths from (0, 0) to the last pair with steps (1, 0),
 * (0, 1), (1, 1); exact. band: Sakoe and Chiba's |i - j| <= max(band, |n - m|), 0 for none.
 * a (n), b (m), both at least 1 long. NaN when out of memory. */
double ep_dtw_cost(const double *a, size_t n, const double *b, size_t m, size_t band);

#endif
