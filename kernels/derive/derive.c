// SPDX-License-Identifier: BSD-3-Clause
/* Runs the steps of the analysis in their order. */
#include "kernels/derive/derive.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ep_fitness_name[] = { "exact", "close", "partial", "none" };

static int allocate(struct ep_derivation *derivation)
{
	size_t n_dims = derivation->set->basis.columns.n,
	       n_metrics = derivation->set->signatures.rows.n;

	derivation->pivots = calloc(n_dims, sizeof(*derivation->pivots));
	derivation->x = calloc(n_dims * n_dims, sizeof(double));
	derivation->coefficients = calloc(n_metrics * n_dims, sizeof(double));
	derivation->rounded = calloc(n_metrics * n_dims, sizeof(double));
	derivation->fits = calloc(n_metrics, sizeof(*derivation->fits));
	if (!derivation->pivots || !derivation->x || !derivation->coefficients ||
		!derivation->rounded || !derivation->fits)
		return -ENOMEM;
	return 0;
}

static int choose_events(struct ep_derivation *derivation)
{
	const struct ep_screen *screen = &derivation->screen;
	size_t n_dims = derivation->set->basis.columns.n;
	int rc = ep_qrcp(screen->x, screen->n_kept, n_dims, derivation->set->params.alpha,
		derivation->pivots, &derivation->n_chosen);

	for (size_t k = 0; !rc && k < derivation->n_chosen; k++) {
		size_t candidate = derivation->pivots[k].candidate;

		memcpy(derivation->x + k * n_dims, screen->x + candidate * n_dims,
			n_dims * sizeof(double));
		derivation->pivots[k].candidate = screen->kept[candidate];
	}
	return rc;
}

static int run_steps(struct ep_derivation *derivation, const struct ep_projector *projector,
	struct ep_error *err)
{
	const struct ep_set *set = derivation->set;
	int rc = ep_screen_init(&derivation->screen, &set->events, projector, &set->params, err);

	if (rc)
		return rc;
	if (allocate(derivation) || choose_events(derivation))
		return ep_fail(err, -ENOMEM, "out of memory");
	const struct ep_system system = {
		.n_chosen = derivation->n_chosen,
		.n_dims = set->basis.columns.n,
		.n_metrics = set->signatures.rows.n,
		.x = derivation->x,
		.signatures = set->signatures.values,
		.tolerance = set->params.coefficient_tolerance,
	};
	const struct ep_solution solution = { derivation->coefficients, derivation->rounded,
		derivation->fits };

	return ep_solve(&system, &solution, err);
}

int ep_derive(struct ep_derivation *derivation, const struct ep_set *set, struct ep_error *err)
{
	struct ep_projector projector;
	int rc = ep_projector_init(&projector, &set->basis, err);

	*derivation = (struct ep_derivation){ .set = set };
	if (rc)
		return rc;
	rc = run_steps(derivation, &projector, err);
	ep_projector_finish(&projector);
	if (rc)
		ep_derivation_finish(derivation);
	return rc;
}

void ep_derivation_finish(struct ep_derivation *derivation)
{
	ep_screen_finish(&derivation->screen);
	free(derivation->pivots);
	free(derivation->x);
	free(derivation->coefficients);
	free(derivation->rounded);
	free(derivation->fits);
	*derivation = (struct ep_derivation){ 0 };
}

static bool has_coefficients(const struct ep_derivation *derivation, size_t metric)
{
	for (size_t k = 0; k < derivation->n_chosen; k++)
		if (derivation->rounded[metric * derivation->n_chosen + k] != 0)
			return true;
	return false;
}

enum ep_fitness ep_derivation_fitness(const struct ep_derivation *derivation, size_t metric)
{
	const struct ep_signature_fit *fit = &derivation->fits[metric];

	if (fit->error >= EP_DEFINABLE_ERROR)
		return has_coefficients(derivation, metric) ? EP_FITNESS_PARTIAL : EP_FITNESS_NONE;
	return fit->rounded_error < EP_DEFINABLE_ERROR ? EP_FITNESS_EXACT : EP_FITNESS_CLOSE;
}

void ep_derivation_explain(
	const struct ep_derivation *derivation, size_t metric, char *out, size_t size)
{
	const struct ep_signature_fit *fit = &derivation->fits[metric];
	const char *dim = derivation->set->basis.columns.items[fit->worst_dim];

	if (!derivation->screen.n_kept)
		snprintf(out, size, "no event survived the noise filter and the projection");
	else if (!has_coefficients(derivation, metric))
		snprintf(out, size, "no chosen event responds to %s", dim);
	else
		snprintf(out, size,
			"no chosen event separates %s: the best combination is off by %.3g there",
			dim, fit->worst_difference);
}
