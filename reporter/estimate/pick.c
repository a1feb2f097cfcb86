// SPDX-License-Identifier: BSD-3-Clause
/* The rules by which auto chooses an estimator for each event. */
#include "reporter/estimate/pick.h"

#include <math.h>
#include <string.h>

/* The error found in the hold-out is averaged with an assumed one, the prior error, which has the weight of
 * this many hidden counts. A hold-out of a hundred slices is noisy, and one of three counts says nothing. */
enum { PRIOR_SCORED = 4 };

/* If an interpolation's error is smaller than this, no other estimator can gain anything, and totals may get
 * worse: in a loop whose total all others found within 0.1 %, mlp was 1 % off. The kernel is not treated as
 * an interpolation: it may find a slice like the hidden one, which says little about slices that were never
 * measured. */
static const double steady_error = 0.01;

/* Returns the error by which estimators are compared: the smaller the better. An interpolation that finds the
 * event steady gets an error below 0, and so wins. Estimators that did better on the training programs have
 * an advantage (estimators.c) in the error found and in the prior error. */
static double judged_error(const struct ep_residuals *r, const struct ep_estimator *estimator)
{
	double found = r->scored > 0 ? fmin(ep_residuals_error(r), 1.5) : 0;
	double assumed = estimator->handicap > 1 ? 0.75 : 0.5;

	if (!estimator->needs_features && r->scored > PRIOR_SCORED && found < steady_error)
		return found - steady_error;
	return (estimator->handicap * found * r->scored + assumed * PRIOR_SCORED) /
	       (r->scored + PRIOR_SCORED);
}

/* Returns the row of "linear" if it is a candidate, otherwise the first candidate. */
static int plain_one(unsigned candidates)
{
	for (int k = 0; ep_estimators[k].name; k++)
		if (candidates >> k & 1 && !strcmp(ep_estimators[k].name, "linear"))
			return k;
	return __builtin_ctz(candidates);
}

int ep_estimator_pick(const struct ep_holdout *holdout, unsigned candidates, size_t event)
{
	int best = -1;
	double least = INFINITY;

	for (int k = 0; ep_estimators[k].name; k++) {
		const struct ep_residuals *r = ep_holdout_of(holdout, event, (size_t)k);
		double error;

		if (!(candidates >> k & 1) || !r->n)
			continue;
		error = judged_error(r, &ep_estimators[k]);
		if (error < least) {
			least = error;
			best = k;
		}
	}
	return best < 0 ? plain_one(candidates) : best;
}

int ep_estimator_without_bursts(unsigned candidates, int pick)
{
	return ep_estimators[pick].is_network ? plain_one(candidates) : pick;
}
