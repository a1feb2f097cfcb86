// SPDX-License-Identifier: BSD-3-Clause
/*
 * Chooses estimators and fills series. A series longer than a window is filled window by window, and the
 * hold-out (holdout.h) is done on a few windows. For a very long series, estimators that need features are
 * left out, since they would take too long.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/estimate/cell_features.h"
#include "reporter/estimate/choice.h"
#include "reporter/estimate/estimate.h"
#include "reporter/estimate/fast_math.h"
#include "reporter/estimate/holdout.h"
#include "reporter/estimate/long_gaps.h"
#include "reporter/estimate/models.h"
#include "reporter/estimate/totals.h"

enum {
	WINDOW_SLICES = 1024, /* about the slices of a window; an estimator sees one window only */
	MARGIN_SLICES = 64,   /* slices on each side of a window that are filled but not kept */
	HOLDOUT_WINDOWS = 8,  /* the most windows for the hold-out */
	HOLDOUT_ENOUGH = 4,   /* this many are enough if every event has HOLDOUT_SAMPLES */
	HOLDOUT_SAMPLES = 512,
	N_FOLDS = 4,
};

struct ep_fit {
	struct ep_grid grid;
	struct ep_choice *choices; /* (E) the choice for each event */
	double *values;            /* (E, T) counts */
	double *errors;            /* (E, T) standard errors of the counts */
	/* (E, T) the part of errors that all slices of a long gap have in common; or NULL */
	double *shared;
	double *totals, *total_errors; /* (E) total of each event and its standard error */
};

struct fitting {
	struct ep_fit *fit;
	struct ep_models models;
	struct ep_holdout holdout;
	unsigned candidates;
	struct ep_error *err;
};

void ep_fit_destroy(struct ep_fit *fit)
{
	if (!fit)
		return;
	ep_grid_finish(&fit->grid);
	free(fit->choices);
	free(fit->values);
	free(fit->errors);
	free(fit->shared);
	free(fit->totals);
	free(fit->total_errors);
	free(fit);
}

static void fitting_finish(struct fitting *f)
{
	ep_fit_destroy(f->fit);
	ep_models_finish(&f->models);
	ep_holdout_finish(&f->holdout);
}

static int set_candidates(struct fitting *f, const struct ep_series *s, const char *name)
{
	double n_cells = (double)s->n_slices * s->n_events;
	bool is_auto = !name || !strcmp(name, "auto");
	int rc = is_auto ? 0 : ep_estimator_check(name, f->err);

	for (size_t k = 0; ep_estimators[k].name && !rc; k++)
		if (is_auto ? n_cells <= ep_estimators[k].most_cells
			    : !strcmp(ep_estimators[k].name, name))
			f->candidates |= 1u << k;
	return rc;
}

static bool needs_features(unsigned candidates)
{
	for (size_t k = 0; ep_estimators[k].name; k++)
		if (candidates >> k & 1 && ep_estimators[k].needs_features)
			return true;
	return false;
}

/* A window. The cores of all windows have about equal lengths; a core has a margin on each side. */
struct window {
	size_t begin, end;           /* the window with its margins */
	size_t core_begin, core_end; /* the slices whose estimates are kept */
};

static size_t count_windows(size_t n_slices)
{
	return n_slices <= WINDOW_SLICES * 3 / 2 ? 1
						 : (n_slices + WINDOW_SLICES - 1) / WINDOW_SLICES;
}

static struct window window_at(size_t n_slices, size_t n_windows, size_t i)
{
	struct window w = { .core_begin = n_slices * i / n_windows,
		.core_end = n_slices * (i + 1) / n_windows };

	w.begin = w.core_begin > MARGIN_SLICES ? w.core_begin - MARGIN_SLICES : 0;
	w.end = w.core_end + MARGIN_SLICES < n_slices ? w.core_end + MARGIN_SLICES : n_slices;
	return w;
}

static bool enough_held_out(const struct fitting *f)
{
	const struct ep_grid *g = &f->fit->grid;
	size_t k = (size_t)__builtin_ctz(f->candidates);

	for (size_t e = 0; e < g->n_events; e++)
		if (!g->always[e] && g->samples[e].n &&
			ep_holdout_of(&f->holdout, e, k)->n < HOLDOUT_SAMPLES)
			return false;
	return true;
}

static int hold_out_window(struct fitting *f, size_t n_windows, size_t i)
{
	struct window w = window_at(f->fit->grid.n_slices, n_windows, i);
	EP_AUTOGRID struct ep_grid part = { 0 };
	int rc = ep_grid_window(&part, &f->fit->grid, w.begin, w.end);

	return rc ? rc : ep_holdout_add(&f->holdout, &part, &f->models, f->candidates, N_FOLDS);
}

/* Does the hold-out on some windows. It may stop after the first half of them, so that the order spreads the
 * first half over the whole series. */
static int hold_out(struct fitting *f)
{
	static const unsigned char order[HOLDOUT_WINDOWS] = { 0, 2, 4, 6, 1, 3, 5, 7 };
	size_t n_windows = count_windows(f->fit->grid.n_slices);
	size_t n_most = n_windows < HOLDOUT_WINDOWS ? n_windows : HOLDOUT_WINDOWS;
	int rc = ep_holdout_init(&f->holdout, f->fit->grid.n_events);

	for (size_t i = 0, n = 0; i < HOLDOUT_WINDOWS && !rc; i++) {
		if (order[i] >= n_most)
			continue;
		if (n++ >= HOLDOUT_ENOUGH && enough_held_out(f))
			break;
		rc = hold_out_window(f, n_windows, order[i] * n_windows / n_most);
	}
	return rc;
}

static unsigned chosen_set(const struct fitting *f)
{
	unsigned set = 0;

	for (size_t e = 0; e < f->fit->grid.n_events; e++)
		if (f->fit->choices[e].estimator >= 0)
			set |= 1u << f->fit->choices[e].estimator |
			       1u << f->fit->choices[e].errors_of;
	return set;
}

/* Stores the results of estimator k for the unmeasured slices in the core of a window: the counts of the
 * events for which k was chosen, and the errors of the events whose errors come from k. Adds the expected
 * counts to means (E). */
static void keep(struct fitting *f, const struct window *w, size_t k,
	const struct ep_estimate *filled, double *means)
{
	const struct ep_grid *g = &f->fit->grid;
	size_t n_part = w->end - w->begin;

	for (size_t e = 0; e < g->n_events; e++) {
		const struct ep_choice *c = &f->fit->choices[e];
		if (c->estimator != (int)k && c->errors_of != (int)k)
			continue;
		for (size_t t = w->core_begin; t < w->core_end; t++) {
			size_t from = e * n_part + t - w->begin, to = e * g->n_slices + t;
			if (g->measured[to])
				continue;
			if (c->errors_of == (int)k)
				f->fit->errors[to] =
					filled->spread[from] * c->width / 1.96 * g->exposure[t];
			if (c->silent || c->estimator != (int)k)
				continue;
			f->fit->values[to] = ep_larger(filled->value[from], 0) * g->exposure[t];
			means[e] += ep_larger(filled->mean[from], 0) * g->exposure[t];
		}
	}
}

static struct ep_gap_row gap_row_of(const struct ep_fit *fit, size_t event)
{
	size_t at = event * fit->grid.n_slices;

	return (struct ep_gap_row){ fit->values + at, fit->errors + at,
		fit->shared ? fit->shared + at : NULL };
}

/* Fills events that have no sample in a window. Estimators see only the window and cannot fill such events,
 * so that the samples before and after the window are used here. */
static void bridge_window(
	struct fitting *f, const struct window *w, const struct ep_grid *part, double *means)
{
	for (size_t e = 0; e < part->n_events; e++) {
		struct ep_long_gap gap = { 0 };
		struct ep_gap_row row = gap_row_of(f->fit, e);

		if (f->fit->choices[e].estimator < 0 || part->samples[e].n)
			continue;
		while (ep_long_gap_next(&f->fit->grid, e, &gap))
			means[e] += ep_long_gap_fill(
				&f->fit->grid, e, &gap, w->core_begin, w->core_end, &row);
	}
}

static int fill_window(struct fitting *f, const struct window *w, double *means)
{
	EP_AUTOGRID struct ep_grid part = { 0 };
	__attribute__((cleanup(ep_features_finish))) struct ep_features features = { 0 };
	__attribute__((cleanup(ep_estimate_finish))) struct ep_estimate filled = { 0 };
	struct ep_fill_task task = { &part, NULL, &f->models };
	unsigned chosen = chosen_set(f);
	int rc = ep_grid_window(&part, &f->fit->grid, w->begin, w->end);

	if (!rc)
		rc = ep_estimate_init_rows(&filled, &part);
	if (!rc && needs_features(chosen)) {
		rc = ep_features_init(&features, &part);
		task.features = &features;
	}
	for (size_t k = 0; ep_estimators[k].name && !rc; k++) {
		if (!(chosen >> k & 1))
			continue;
		rc = ep_estimators[k].fill(&task, &filled);
		if (!rc)
			keep(f, w, k, &filled, means);
	}
	if (!rc)
		bridge_window(f, w, &part, means);
	return rc;
}

static void copy_measured(struct ep_fit *fit, const struct ep_series *s)
{
	const struct ep_grid *g = &fit->grid;

	for (size_t e = 0; e < g->n_events; e++) {
		const unsigned char *measured = g->measured + e * g->n_slices;
		double *values = fit->values + e * g->n_slices;

		for (size_t t = 0; t < g->n_slices; t++)
			values[t] = measured[t] ? s->values[t * g->n_events + e] : values[t];
	}
}

/* The limit of an interval, as a multiple of the largest sample. A network may expect a burst of any size in
 * a slice; without the limit, the wide interval of this slice would make the interval of the total useless. */
static const double most_samples = 8;

static double largest_rate(const struct ep_grid *g, size_t event)
{
	const struct ep_sampled *s = &g->samples[event];
	double largest = 0;

	for (size_t i = 0; i < s->n; i++)
		largest = ep_larger(largest, g->rates[event * g->n_slices + s->at[i]]);
	return largest;
}

static void cut_errors(const struct ep_grid *g, size_t event, struct ep_total_row *r)
{
	double most = most_samples * largest_rate(g, event);

	for (size_t t = 0; t < g->n_slices; t++)
		r->errors[t] = ep_smaller(
			r->errors[t], ep_larger(most * g->exposure[t], r->values[t]) / 1.96);
}

/* Adds to the errors in long gaps the part that the hold-out cannot find, since it hides single samples
 * (long_gaps.h). */
static int share_errors(struct ep_fit *fit)
{
	const struct ep_grid *g = &fit->grid;

	for (size_t e = 0; e < g->n_events; e++) {
		struct ep_long_gap gap = { 0 };
		double variance = 0;

		while (fit->choices[e].estimator >= 0 && ep_long_gap_next(g, e, &gap)) {
			if (!fit->shared)
				fit->shared = calloc(g->n_events * g->n_slices, sizeof(double));
			if (!fit->shared)
				return -ENOMEM;
			struct ep_gap_row row = gap_row_of(fit, e);

			variance += ep_long_gap_share(g, e, &gap, &row);
		}
		fit->total_errors[e] = hypot(fit->total_errors[e], sqrt(variance));
	}
	return 0;
}

static int settle_totals(struct ep_fit *fit, const double *means)
{
	const struct ep_grid *g = &fit->grid;
	int rc = 0;

	for (size_t e = 0; e < g->n_events; e++) {
		struct ep_total_row row = { g->n_slices, fit->values + e * g->n_slices,
			fit->errors + e * g->n_slices, g->measured + e * g->n_slices };
		struct ep_sum sum;
		if (fit->choices[e].estimator >= 0)
			rc = ep_totals_settle(&row, means[e]);
		if (rc)
			return rc;
		if (fit->choices[e].estimator >= 0 && !fit->choices[e].silent)
			cut_errors(g, e, &row);
		sum = ep_total_row_sum(&row, fit->choices[e].inflation);
		fit->totals[e] = sum.value;
		fit->total_errors[e] = sum.error;
	}
	return rc;
}

static int fill_all(struct fitting *f, const struct ep_series *s)
{
	const struct ep_grid *g = &f->fit->grid;
	size_t n_windows = count_windows(g->n_slices);
	EP_AUTOFREE double *means = calloc(g->n_events, sizeof(*means));
	int rc = means ? 0 : -ENOMEM;

	for (size_t i = 0; i < n_windows && !rc; i++) {
		struct window w = window_at(g->n_slices, n_windows, i);
		rc = fill_window(f, &w, means);
	}
	if (rc)
		return rc;
	copy_measured(f->fit, s);
	rc = settle_totals(f->fit, means);
	return rc ? rc : share_errors(f->fit);
}

static int allocate(struct fitting *f, const struct ep_series *s)
{
	size_t n_cells = s->n_events * s->n_slices;

	f->fit = calloc(1, sizeof(*f->fit));
	if (!f->fit || (needs_features(f->candidates) ? ep_grid_init(&f->fit->grid, s)
						      : ep_grid_init_rates(&f->fit->grid, s)))
		return -ENOMEM;
	f->fit->choices = calloc(s->n_events, sizeof(*f->fit->choices));
	f->fit->values = calloc(n_cells, sizeof(*f->fit->values));
	f->fit->errors = calloc(n_cells, sizeof(*f->fit->errors));
	f->fit->totals = calloc(s->n_events, sizeof(*f->fit->totals));
	f->fit->total_errors = calloc(s->n_events, sizeof(*f->fit->total_errors));
	if (!f->fit->choices || !f->fit->values || !f->fit->errors || !f->fit->totals ||
		!f->fit->total_errors)
		return -ENOMEM;
	return 0;
}

static int fit_series(
	struct fitting *f, const struct ep_series *s, const struct ep_fit_options *options)
{
	int rc = set_candidates(f, s, options ? options->estimator : NULL);

	if (!rc && needs_features(f->candidates))
		rc = ep_models_init(&f->models, options ? options->weights_path : NULL, f->err);
	if (rc)
		return rc;
	rc = allocate(f, s);
	if (!rc)
		rc = hold_out(f);
	if (!rc)
		ep_choices_make(&f->fit->grid, &f->holdout, f->candidates, f->fit->choices);
	if (!rc)
		rc = fill_all(f, s);
	return rc ? ep_fail(f->err, rc, "out of memory") : 0;
}

int ep_fit(const struct ep_series *series, const struct ep_fit_options *options,
	struct ep_fit **out_fit, struct ep_error *err)
{
	__attribute__((cleanup(fitting_finish))) struct fitting f = { .err = err };
	int rc = fit_series(&f, series, options);

	if (rc)
		return rc;
	*out_fit = f.fit;
	f.fit = NULL;
	return 0;
}

static bool never_measured(const struct ep_fit *fit, size_t event)
{
	return !fit->grid.samples[event].n;
}

struct ep_fit_row ep_fit_row(const struct ep_fit *fit, size_t event)
{
	size_t at = event * fit->grid.n_slices;

	if (never_measured(fit, event))
		return (struct ep_fit_row){ NULL, NULL, NULL };
	return (struct ep_fit_row){ fit->values + at, fit->errors + at,
		fit->shared ? fit->shared + at : NULL };
}

void ep_fit_fill(const struct ep_fit *fit, double *values, double *errors)
{
	const struct ep_grid *g = &fit->grid;

	for (size_t e = 0; e < g->n_events; e++) {
		struct ep_fit_row row = ep_fit_row(fit, e);

		for (size_t t = 0, to = e; t < g->n_slices; t++, to += g->n_events) {
			if (values)
				values[to] = row.values ? row.values[t] : NAN;
			if (errors)
				errors[to] = row.errors ? row.errors[t] : NAN;
		}
	}
}

struct ep_event_fit ep_fit_event(const struct ep_fit *fit, size_t event)
{
	const struct ep_choice *c = &fit->choices[event];
	struct ep_event_fit of = {
		.estimator = never_measured(fit, event) ? "missing" : "measured",
		.coverage = (double)fit->grid.samples[event].n / fit->grid.n_slices,
		.holdout_error = c->holdout_error,
		.total = never_measured(fit, event) ? NAN : fit->totals[event],
		.total_error = never_measured(fit, event) ? NAN : fit->total_errors[event],
		.inflation = c->inflation,
	};

	if (c->estimator >= 0)
		of.estimator = ep_estimators[c->estimator].name;
	return of;
}
