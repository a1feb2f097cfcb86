/* SPDX-License-Identifier: BSD-3-Clause */
/* Run-to-run variability of an event. R repetitions, P points. */
#ifndef EVPROF_KERNELS_DERIVE_NOISE_H
#define EVPROF_KERNELS_DERIVE_NOISE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/derive/params.h"

/* values (R, P): true when every one is zero. */
bool ep_noise_all_zero(const double *values, size_t n_values);
/* The largest root normalised mean square error over all pairs of repetitions, equation 4 of the
 * event-analysis paper: |m_i - m_j| / sqrt(P mean_i mean_j); 0 for equal vectors, 1 when the
 * product of the means is not positive. values (R, P); sums is scratch (R). */
double ep_noise_max_rnmse(const double *values, size_t n_reps, size_t n_points, double *sums);
/* out (P) = mean, median or minimum over the repetitions of values (R, P), point by point. */
void ep_noise_combine(
	const double *values, size_t n_reps, size_t n_points, enum ep_combine how, double *out);

#endif
