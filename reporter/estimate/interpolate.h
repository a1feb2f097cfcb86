/* SPDX-License-Identifier: BSD-3-Clause */
/* The interpolations, one event at a time: at (n), y (n) -> out (T). n is at least 1. */
#ifndef EVPROF_REPORTER_ESTIMATE_INTERPOLATE_H
#define EVPROF_REPORTER_ESTIMATE_INTERPOLATE_H

#include "reporter/estimate/grid.h"

/* Holds the last sample; before the first, the first (May 2001; PAPI's multiplexing). */
void ep_interpolate_fixed(
	const struct ep_sampled *s, const double *y, size_t n_slices, double *out);

/* Straight lines between samples: the trapezoid rule's (Mathur and Cook 2005). */
void ep_interpolate_linear(
	const struct ep_sampled *s, const double *y, size_t n_slices, double *out);

/* Shape-preserving cubics (Fritsch and Butland's slopes, as in pchip): no overshoot, so that
 * counts stay above zero. */
void ep_interpolate_pchip(
	const struct ep_sampled *s, const double *y, size_t n_slices, double *out);

/* How far a rate between two samples' is off, at most in 95 of 100 cases, as a rule of thumb. */
double ep_interpolation_spread(double left, double right);

#endif
