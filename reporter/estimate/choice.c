// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/estimate/choice.h"

#include <math.h>

#include "reporter/estimate/long_gaps.h"
#include "reporter/estimate/pick.h"
#include "reporter/estimate/rare.h"

struct choosing {
	const struct ep_grid *grid;
	const struct ep_holdout *holdout;
	unsigned candidates;
	bool sees_start;
};

static bool all_zero(const struct ep_grid *g, size_t event)
{
	const struct ep_sampled *s = &g->samples[event];

	for (size_t i = 0; i < s->n; i++)
		if (g->rates[event * g->n_slices + s->at[i]] > 0)
			return false;
	return true;
}

/* Returns the factor by which correlated errors increase the variance of a sum. Errors one rotation apart
 * (the turns of all groups) are assumed to correlate as in an autoregression of first order. turn: mean
 * number of slices from one sample to the next. */
static double inflation(
	const struct ep_residuals *r, const struct ep_estimator *estimator, double turn)
{
	double correlation = ep_residuals_correlation(r);
	double gap = turn - 1;

	return (1 + correlation) / (1 - correlation) * (estimator->gap_is_one ? fmax(gap, 1) : 1);
}

/* Chooses the estimator of one event. If a network is picked for a rare event, and the series does not begin
 * with a program's start, straight lines fill the event instead. The errors still come from the network,
 * since a burst is possible (rare.h). */
static void choose_for(const struct choosing *of, size_t e, struct ep_choice *c)
{
	const struct ep_grid *g = of->grid;
	const struct ep_estimator *of_errors;
	const struct ep_residuals *r;

	c->errors_of = ep_estimator_pick(of->holdout, of->candidates, e);
	c->estimator = !of->sees_start && ep_event_is_rare(g, e)
			       ? ep_estimator_without_bursts(of->candidates, c->errors_of)
			       : c->errors_of;
	c->silent = all_zero(g, e);
	c->holdout_error = ep_residuals_error(ep_holdout_of(of->holdout, e, (size_t)c->estimator));
	of_errors = &ep_estimators[c->errors_of];
	r = ep_holdout_of(of->holdout, e, (size_t)c->errors_of);
	c->width = ep_residuals_width(r, of_errors->prior_slices);
	c->inflation = inflation(r, of_errors, ep_long_gaps_turn(g, e));
}

void ep_choices_make(const struct ep_grid *grid, const struct ep_holdout *holdout,
	unsigned candidates, struct ep_choice *out)
{
	const struct choosing of = { grid, holdout, candidates, ep_start_is_in_sight(grid) };

	for (size_t e = 0; e < grid->n_events; e++) {
		out[e] = (struct ep_choice){ .estimator = -1,
			.errors_of = -1,
			.holdout_error = NAN,
			.width = 1,
			.inflation = 1 };
		if (!grid->always[e] && grid->samples[e].n)
			choose_for(&of, e, &out[e]);
	}
}
