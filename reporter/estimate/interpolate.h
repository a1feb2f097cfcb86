/* SPDX-License-Identifier: BSD-3-Clause */
/* Interpolations of one event: samples at (n), values y (T) -> out (T). n is at least 1. Only the elements of
 * y in slices with a sample are read. Callers that fill a table or a trace replace out by the measured counts
 * in these slices. */
#ifndef EVPROF_REPORTER_ESTIMATE_INTERPOLATE_H
#define EVPROF_REPORTER_ESTIMATE_INTERPOLATE_H

#include "reporter/estimate/grid.h"

/* Holds the last sample; before the first sample, holds the first (May 2001; PAPI's multiplexing). */
void ep_interpolate_fixed(
	const struct ep_sampled *s, const double *y, size_t n_slices, double *out);

/* Interpolates linearly between samples, which is the trapezoid rule (Mathur and Cook 2005). */
void ep_interpolate_linear(
	const struct ep_sampled *s, const double *y, size_t n_slices, double *out);

/* Interpolates by shape-preserving cubics (slopes of Fritsch and Butland, as in pchip): they do not
 * overshoot, so that counts stay above zero. */
void ep_interpolate_pchip(
	const struct ep_sampled *s, const double *y, size_t n_slices, double *out);

/* Returns a bound on the error of a rate between two samples, which holds in about 95 of 100 cases, by a rule
 * of thumb. */
double ep_interpolation_spread(double left, double right);

#endif
