/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hold-out: part of what was measured is hidden, every candidate fills it, and what it missed
 * by says which one to take and how wide its intervals must be. E events, K estimators.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_HOLDOUT_H
#define EVPROF_REPORTER_ESTIMATE_HOLDOUT_H

#include "reporter/estimate/estimator.h"

enum { EP_MAX_ESTIMATORS = 16 };

/* The residuals of one estimator for one event. A slice weighs its exposure: a thread's last one
 * may be a few microseconds of its exit, whose rate is like no other. */
struct ep_residuals {
	double relative_sum; /* sums |estimate - count| / count of counts above 0; a term x above 1 is 1 + log x */
	double scored; /* mean slices with counts above 0: the sum of their exposures */
	double square_sum, lag_sum; /* of error / spread; of products of neighbouring samples */
	float *ratios;              /* (n) |error| / spread */
	size_t n;
	uint32_t capacity;
};

struct ep_holdout {
	size_t n_events;
	struct ep_residuals *residuals; /* (E, EP_MAX_ESTIMATORS) */
};

int ep_holdout_init(struct ep_holdout *out, size_t n_events);
void ep_holdout_finish(struct ep_holdout *holdout);

/* Hides and fills one window, fold by fold, with the estimators whose bit is set in candidates. */
int ep_holdout_add(struct ep_holdout *holdout, const struct ep_grid *window,
	const struct ep_models *models, unsigned candidates, unsigned n_folds);

struct ep_residuals *ep_holdout_of(
	const struct ep_holdout *holdout, size_t event, size_t estimator);

/* Mean relative error; NaN without a scored count. */
double ep_residuals_error(const struct ep_residuals *r);
/* The factor that makes the spread hold 95 % of the hidden counts, drawn towards 1 as if that many
 * more slices had been hidden for which the spread was right. */
double ep_residuals_width(const struct ep_residuals *r, double prior_slices);
/* Correlation of errors one rotation apart, 0..1. */
double ep_residuals_correlation(const struct ep_residuals *r);

#endif
