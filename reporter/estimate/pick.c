// SPDX-License-Identifier: BSD-3-Clause
/* The rules by which auto picks one estimator for each event. */
#include "reporter/estimate/pick.h"

#include <math.h>
#include <string.h>

/* The prior counts as this many more hidden counts: a hold-out of a hundred slices is noisy, one of
 * three sparse counts says nothing. */
enum { PRIOR_SCORED = 4 };

/* Where an interpolation misses by less there is nothing to gain over it, and a total to lose:
 * mlp's of a loop that all others met to 0.1 % was 1 % off. The kernel is none: that it finds a
 * hidden slice's like says little of the slices that nobody measured. */
static const double steady_error = 0.01;

/* The less the better; below 0, and so before all others, where the event is steady. Who did better
 * on the training programs has a head start (estimators.c) in what was found and in what is
 * assumed.
 */
static double judged_error(const struct ep_residuals *r, const struct ep_estimator *estimator)
{
	double found = r->scored > 0 ? fmin(ep_residuals_error(r), 1.5) : 0;
	double assumed = estimator->handicap > 1 ? 0.75 : 0.5;

	if (!estimator->needs_features && r->scored > PRIOR_SCORED && found < steady_error)
		return found - steady_error;
	return (estimator->handicap * found * r->scored + assumed * PRIOR_SCORED) /
	       (r->scored + PRIOR_SCORED);
}

/* Straight lines, or the one estimator that there is. */
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
