/* SPDX-License-Identifier: BSD-3-Clause */
/* Order statistics without sorting. */
#ifndef EVPROF_REPORTER_ESTIMATE_NTH_H
#define EVPROF_REPORTER_ESTIMATE_NTH_H

#include <stddef.h>

/* The value that would stand at index k if the n values were sorted (none NaN, k < n); moves them
 * about. */
double ep_nth_smallest(double *values, size_t n, size_t k);

#endif
