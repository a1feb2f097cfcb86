/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hold-out: a part of the measured cells is hidden, every candidate fills them, and the candidates'
 * errors tell which estimator to take and how wide the estimator's intervals must be. E events, K estimators.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_HOLDOUT_H
#define EVPROF_REPORTER_ESTIMATE_HOLDOUT_H

#include "reporter/estimate/estimator.h"

enum { EP_MAX_ESTIMATORS = 16 };

/* The errors of one estimator for one event. Each slice is weighted by its exposure: a thread's last slice
 * may be a few microseconds of its exit, whose rate differs from those of other slices. */
struct ep_residuals {
	/* sum of |estimate - count| / count for counts above 0; a term x above 1 counts as 1 +
	 * log x */
	double relative_sum;
	double scored; /* weight of these terms: the sum of the slices' exposures */
	/* sums over samples: q^2 with q = error / spread, cut at +-3; q times q of the sample before */
	double square_sum, lag_sum;
	float *ratios; /* (n) |error| / spread */
	size_t n;
	uint32_t capacity;
};

struct ep_holdout {
	size_t n_events;
	struct ep_residuals *residuals; /* (E, EP_MAX_ESTIMATORS) errors by event and estimator */
};

int ep_holdout_init(struct ep_holdout *out, size_t n_events);
void ep_holdout_finish(struct ep_holdout *holdout);

/* Does the hold-out on one window, fold by fold, for the estimators whose bits are set in candidates. */
int ep_holdout_add(struct ep_holdout *holdout, const struct ep_grid *window,
	const struct ep_models *models, unsigned candidates, unsigned n_folds);

struct ep_residuals *ep_holdout_of(
	const struct ep_holdout *holdout, size_t event, size_t estimator);

/* Returns the mean relative error; NaN: there was no count above 0. */
double ep_residuals_error(const struct ep_residuals *r);
/* Returns the factor that makes the spread an interval which holds 95 % of the hidden counts. The factor is
 * moved towards 1, as if prior_slices more slices had been hidden for which the spread was right. */
double ep_residuals_width(const struct ep_residuals *r, double prior_slices);
/* Returns the correlation of the errors of neighbouring samples, which are one rotation apart: 0 to 1. */
double ep_residuals_correlation(const struct ep_residuals *r);

#endif
