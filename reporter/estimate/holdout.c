// SPDX-License-Identifier: BSD-3-Clause
/* Hides samples, lets the estimators fill them, and judges the answers. */
#include "reporter/estimate/holdout.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/containers/array.h"
#include "reporter/estimate/cell_features.h"
#include "reporter/estimate/fast_math.h"
#include "reporter/estimate/nth.h"

int ep_holdout_init(struct ep_holdout *out, size_t n_events)
{
	*out = (struct ep_holdout){ .n_events = n_events };
	out->residuals = calloc(n_events * EP_MAX_ESTIMATORS, sizeof(*out->residuals));
	return out->residuals ? 0 : -ENOMEM;
}

void ep_holdout_finish(struct ep_holdout *h)
{
	for (size_t i = 0; h->residuals && i < h->n_events * EP_MAX_ESTIMATORS; i++)
		free(h->residuals[i].ratios);
	free(h->residuals);
	*h = (struct ep_holdout){ 0 };
}

struct ep_residuals *ep_holdout_of(const struct ep_holdout *h, size_t event, size_t estimator)
{
	return &h->residuals[event * EP_MAX_ESTIMATORS + estimator];
}

/* The estimates of one window's hidden samples by each estimator, in the samples' order. */
struct answers {
	float *value[EP_MAX_ESTIMATORS];  /* (S) values of the S samples of all events */
	float *spread[EP_MAX_ESTIMATORS]; /* (S) spreads */
	size_t *first;                    /* (E) index of each event's first sample in value */
};

static void answers_finish(struct answers *a)
{
	for (size_t k = 0; k < EP_MAX_ESTIMATORS; k++) {
		free(a->value[k]);
		free(a->spread[k]);
	}
	free(a->first);
}

static int answers_init(struct answers *a, const struct ep_grid *g, unsigned candidates)
{
	size_t n = 0;

	a->first = calloc(g->n_events, sizeof(*a->first));
	if (!a->first)
		return -ENOMEM;
	for (size_t e = 0; e < g->n_events; e++) {
		a->first[e] = n;
		n += g->always[e] ? 0 : g->samples[e].n;
	}
	for (size_t k = 0; k < EP_MAX_ESTIMATORS; k++) {
		if (!(candidates >> k & 1))
			continue;
		a->value[k] = calloc(n + 1, sizeof(float));
		a->spread[k] = calloc(n + 1, sizeof(float));
		if (!a->value[k] || !a->spread[k])
			return -ENOMEM;
	}
	return 0;
}

static void note_answers(struct answers *a, const struct ep_grid *g,
	const struct ep_estimate *filled, size_t estimator, unsigned fold, unsigned n_folds)
{
	for (size_t e = 0; e < g->n_events; e++)
		for (size_t i = fold; i < g->samples[e].n && !g->always[e]; i += n_folds) {
			size_t cell = e * g->n_slices + g->samples[e].at[i];
			a->value[estimator][a->first[e] + i] = (float)filled->value[cell];
			a->spread[estimator][a->first[e] + i] = (float)filled->spread[cell];
		}
}

static int ask_fold(struct answers *a, const struct ep_grid *g, const struct ep_models *models,
	unsigned candidates, unsigned fold, unsigned n_folds)
{
	EP_AUTOGRID struct ep_grid hidden = { 0 };
	__attribute__((cleanup(ep_features_finish))) struct ep_features features = { 0 };
	__attribute__((cleanup(ep_estimate_finish))) struct ep_estimate filled = { 0 };
	struct ep_fill_task task = { &hidden, NULL, models };
	int rc = ep_grid_hide(&hidden, g, fold, n_folds);

	if (!rc)
		rc = ep_estimate_init_rows(&filled, &hidden);
	for (size_t k = 0; ep_estimators[k].name && !rc; k++)
		if (candidates >> k & 1 && ep_estimators[k].needs_series)
			ep_grid_want_gaps(&hidden);
	for (size_t k = 0; ep_estimators[k].name && !rc; k++) {
		if (!(candidates >> k & 1))
			continue;
		if (ep_estimators[k].needs_features && !task.features) {
			rc = ep_features_init(&features, &hidden);
			task.features = &features;
		}
		if (!rc)
			rc = ep_estimators[k].fill(&task, &filled);
		if (!rc)
			note_answers(a, g, &filled, k, fold, n_folds);
	}
	return rc;
}

static int append_ratio(struct ep_residuals *r, float ratio)
{
	if (EP_ARRAY_RESERVE(r->ratios, (uint32_t)r->n, r->capacity))
		return -ENOMEM;
	r->ratios[r->n++] = ratio;
	return 0;
}

/* Returns the error that is counted. Above 100 % it grows with the logarithm, so that a single error of a
 * factor of a thousand does not decide the choice of the estimator. */
static double bent(double relative)
{
	return relative > 1 ? 1 + log(relative) : relative;
}

/* An event with fewer samples is not judged: in some fold no samples might be left, and the estimators would
 * have no input. */
enum { LEAST_SAMPLES = 8 };

static int judge(struct ep_residuals *r, const struct ep_grid *g, size_t event, const float *value,
	const float *spread)
{
	const struct ep_sampled *s = &g->samples[event];
	double before = 0;

	if (s->n < LEAST_SAMPLES)
		return 0;
	for (size_t i = 0; i < s->n; i++) {
		double truth = g->rates[event * g->n_slices + s->at[i]];
		double error = value[i] - truth, scaled = error / ep_larger(spread[i], 1e-9);
		if (truth > 0) {
			double weight = g->exposure[s->at[i]];
			r->relative_sum += weight * bent(fabs(error) / truth);
			r->scored += weight;
		}
		scaled = ep_larger(ep_smaller(scaled, 3), -3);
		r->square_sum += scaled * scaled;
		r->lag_sum += i ? scaled * before : 0;
		before = scaled;
		if (append_ratio(r, (float)(fabs(error) / ep_larger(spread[i], 1e-9))))
			return -ENOMEM;
	}
	return 0;
}

int ep_holdout_add(struct ep_holdout *h, const struct ep_grid *g, const struct ep_models *models,
	unsigned candidates, unsigned n_folds)
{
	__attribute__((cleanup(answers_finish))) struct answers a = { 0 };
	int rc = answers_init(&a, g, candidates);

	for (unsigned fold = 0; fold < n_folds && !rc; fold++)
		rc = ask_fold(&a, g, models, candidates, fold, n_folds);
	for (size_t k = 0; k < EP_MAX_ESTIMATORS && !rc; k++)
		for (size_t e = 0; e < g->n_events && !rc && candidates >> k & 1; e++)
			if (!g->always[e])
				rc = judge(ep_holdout_of(h, e, k), g, e, a.value[k] + a.first[e],
					a.spread[k] + a.first[e]);
	return rc;
}

double ep_residuals_error(const struct ep_residuals *r)
{
	return r->scored > 0 ? r->relative_sum / r->scored : NAN;
}

double ep_residuals_width(const struct ep_residuals *r, double prior_slices)
{
	EP_AUTOFREE double *ratios = NULL;
	double width, weight;
	size_t at;

	if (!r->n)
		return 1;
	ratios = malloc(r->n * sizeof(*ratios));
	if (!ratios)
		return 1;
	for (size_t i = 0; i < r->n; i++)
		ratios[i] = r->ratios[i];
	at = (size_t)ceil(0.95 * (r->n + 1));
	width = fmax(ep_nth_smallest(ratios, r->n, at > r->n ? r->n - 1 : at - 1), 0.02);
	weight = r->n / (r->n + prior_slices);
	return exp(weight * log(fmin(width, 50)));
}

double ep_residuals_correlation(const struct ep_residuals *r)
{
	return r->square_sum > 0 ? fmax(0, fmin(r->lag_sum / r->square_sum, 0.99)) : 0;
}
