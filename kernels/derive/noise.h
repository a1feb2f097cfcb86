/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes the run-to-run variability of an event from R repetitions at P points. */
#ifndef EVPROF_KERNELS_DERIVE_NOISE_H
#define EVPROF_KERNELS_DERIVE_NOISE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/derive/params.h"

/* Tells whether all values (n_values) are zero. */
bool ep_noise_all_zero(const double *values, size_t n_values);
/* Returns the largest root normalised mean square error over all pairs of repetitions, by equation 4 of the
 * event-analysis paper: |m_i - m_j| / sqrt(P mean_i mean_j); it is 0 for equal vectors, and 1 if the product
 * of the means is not positive. values (R, P); sums (R) is memory to work in. */
double ep_noise_max_rnmse(const double *values, size_t n_reps, size_t n_points, double *sums);
/* Computes out (P), the mean, median or minimum over the repetitions of values (R, P), point by point. */
void ep_noise_combine(
	const double *values, size_t n_reps, size_t n_points, enum ep_combine how, double *out);

#endif
