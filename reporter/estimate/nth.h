/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds order statistics, such as a median, without sorting. */
#ifndef EVPROF_REPORTER_ESTIMATE_NTH_H
#define EVPROF_REPORTER_ESTIMATE_NTH_H

#include <stddef.h>

/* Returns the value that would be at index k if the n values were sorted. No value may be NaN, and k < n; the
 * values are reordered. */
double ep_nth_smallest(double *values, size_t n, size_t k);

#endif
