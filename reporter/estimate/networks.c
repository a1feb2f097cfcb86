// SPDX-License-Identifier: BSD-3-Clause
/* The networks as estimators: features in, three numbers a cell out. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/estimate/cell_features.h"
#include "reporter/estimate/estimator.h"
#include "reporter/estimate/models.h"

enum { N_OUTPUTS = EP_N_NETWORK_OUTPUTS };

/* The outputs are logs; e^30 is more than any count. */
static double unlog(double log_rate)
{
	return expm1(fmax(0, fmin(log_rate, 43)));
}

/* A program that training never saw is filled worse than a new run of one that it did; 1.15 leaves
 * the intervals of the latter at 97 %. */
static const double unseen_margin = 1.15;

/* Answers to the cells of a task, event by event. N cells of sequences of T slices. */
struct answers {
	size_t n_cells, n_slices;
	float *y;     /* (N, 3) */
	float *moved; /* (N) by how much a baseline's value was corrected, log; else 0 */
};

/* The width was learned for the baseline's value: a correction adds to it. */
static void take(const struct ep_features *f, size_t event, const struct answers *a, size_t first,
	struct ep_estimate *estimate)
{
	for (size_t t = 0; t < f->n_slices; t++) {
		size_t cell = event * f->n_slices + t;
		const float *o = a->y + (first + t) * N_OUTPUTS;
		double log_value = f->base[cell] + o[EP_OUT_VALUE];
		double value = unlog(log_value), before = unlog(log_value - a->moved[first + t]);
		estimate->value[cell] = value;
		estimate->mean[cell] = unlog(f->base[cell] + o[EP_OUT_MEAN]);
		estimate->spread[cell] =
			unlog(o[EP_OUT_WIDTH]) * unseen_margin + fabs(value - before) + 0.01;
	}
}

/* Packs the rows of the events that are to be filled; returns how many cells. */
static size_t pack(const struct ep_grid *g, const struct ep_features *f, float *x)
{
	size_t n_row = g->n_slices * EP_N_FEATURES, n = 0;

	for (size_t e = 0; e < g->n_events; e++) {
		if (g->always[e] || !g->samples[e].n)
			continue;
		memcpy(x + n++ * n_row, f->x + e * n_row, n_row * sizeof(*x));
	}
	return n * g->n_slices;
}

/* x (N, F) features, overwritten -> y (N, 3) */
static int answer(const struct ep_network *network, float *x, const struct answers *a, float *y)
{
	ep_network_scale(network, x, a->n_cells);
	return ep_network_run(network, x, a->n_cells / a->n_slices, a->n_slices, y);
}

/* Rows of the features with the baseline's answers after them: (n_cells, F + 3). */
static float *widen(const float *x, const float *y, size_t n_cells)
{
	size_t n_wide = EP_N_FEATURES + N_OUTPUTS;
	float *wide = malloc(n_cells * n_wide * sizeof(*wide));

	for (size_t i = 0; wide && i < n_cells; i++) {
		memcpy(wide + i * n_wide, x + i * EP_N_FEATURES, EP_N_FEATURES * sizeof(*wide));
		memcpy(wide + i * n_wide + EP_N_FEATURES, y + i * N_OUTPUTS,
			N_OUTPUTS * sizeof(*wide));
	}
	return wide;
}

/* The answers are the baseline's, and the sum of both on return. */
static int correct(const struct ep_network *network, const float *x, struct answers *a)
{
	EP_AUTOFREE float *wide = widen(x, a->y, a->n_cells);
	EP_AUTOFREE float *more = malloc((a->n_cells + 1) * N_OUTPUTS * sizeof(*more));

	if (!wide || !more || answer(network, wide, a, more))
		return -ENOMEM;
	for (size_t i = 0; i < a->n_cells * N_OUTPUTS; i++)
		a->y[i] += more[i];
	for (size_t i = 0; i < a->n_cells; i++)
		a->moved[i] = more[i * N_OUTPUTS + EP_OUT_VALUE];
	return 0;
}

static int run_network(const struct ep_network *network, const struct ep_models *models, float *x,
	struct answers *a)
{
	size_t size_bytes = a->n_cells * EP_N_FEATURES * sizeof(*x);
	EP_AUTOFREE float *kept = NULL;

	if (!ep_network_has_baseline(network))
		return answer(network, x, a, a->y);
	kept = malloc(size_bytes);
	if (!kept)
		return -ENOMEM;
	memcpy(kept, x, size_bytes);
	if (answer(models->mlp, kept, a, a->y))
		return -ENOMEM;
	return correct(network, x, a);
}

static int fill_with(
	const struct ep_network *network, const struct ep_fill_task *task, struct ep_estimate *out)
{
	const struct ep_grid *g = task->grid;
	size_t n_cells = g->n_events * g->n_slices, first = 0;
	EP_AUTOFREE float *x = malloc(n_cells * EP_N_FEATURES * sizeof(*x));
	EP_AUTOFREE float *y = malloc(n_cells * N_OUTPUTS * sizeof(*y));
	EP_AUTOFREE float *moved = calloc(n_cells, sizeof(*moved));
	struct answers a = { .n_slices = g->n_slices, .y = y, .moved = moved };

	if (!x || !y || !moved)
		return -ENOMEM;
	a.n_cells = pack(g, task->features, x);
	if (!a.n_cells)
		return 0;
	if (run_network(network, task->models, x, &a))
		return -ENOMEM;
	for (size_t e = 0; e < g->n_events; e++) {
		if (g->always[e] || !g->samples[e].n)
			continue;
		take(task->features, e, &a, first, out);
		first += g->n_slices;
	}
	return 0;
}

int ep_fill_mlp(const struct ep_fill_task *task, struct ep_estimate *out)
{
	return fill_with(task->models->mlp, task, out);
}

int ep_fill_gru(const struct ep_fill_task *task, struct ep_estimate *out)
{
	return fill_with(task->models->gru, task, out);
}
