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

static void take(
	const struct ep_features *f, size_t event, const float *out, struct ep_estimate *estimate)
{
	for (size_t t = 0; t < f->n_slices; t++) {
		size_t cell = event * f->n_slices + t;
		const float *o = out + t * N_OUTPUTS;
		estimate->value[cell] = unlog(f->base[cell] + o[EP_OUT_VALUE]);
		estimate->mean[cell] = unlog(f->base[cell] + o[EP_OUT_MEAN]);
		estimate->spread[cell] = unlog(o[EP_OUT_WIDTH]) * unseen_margin + 0.01;
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

/* x (n_cells, F) features, overwritten -> y (n_cells, 3) */
static int answer(
	const struct ep_network *network, float *x, size_t n_cells, size_t n_slices, float *y)
{
	ep_network_scale(network, x, n_cells);
	return ep_network_run(network, x, n_cells / n_slices, n_slices, y);
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

/* y (n_cells, 3) holds the baseline's answers, and the sum of both on return. */
static int correct(
	const struct ep_network *network, const float *x, size_t n_cells, size_t n_slices, float *y)
{
	EP_AUTOFREE float *wide = widen(x, y, n_cells);
	EP_AUTOFREE float *more = malloc((n_cells + 1) * N_OUTPUTS * sizeof(*more));

	if (!wide || !more || answer(network, wide, n_cells, n_slices, more))
		return -ENOMEM;
	for (size_t i = 0; i < n_cells * N_OUTPUTS; i++)
		y[i] += more[i];
	return 0;
}

static int run_network(const struct ep_network *network, const struct ep_fill_task *task, float *x,
	size_t n_cells, float *y)
{
	size_t n_slices = task->grid->n_slices;
	EP_AUTOFREE float *kept = NULL;

	if (!ep_network_has_baseline(network))
		return answer(network, x, n_cells, n_slices, y);
	kept = malloc(n_cells * EP_N_FEATURES * sizeof(*kept));
	if (!kept)
		return -ENOMEM;
	memcpy(kept, x, n_cells * EP_N_FEATURES * sizeof(*kept));
	if (answer(task->models->mlp, kept, n_cells, n_slices, y))
		return -ENOMEM;
	return correct(network, x, n_cells, n_slices, y);
}

static int fill_with(
	const struct ep_network *network, const struct ep_fill_task *task, struct ep_estimate *out)
{
	const struct ep_grid *g = task->grid;
	size_t n_cells = g->n_events * g->n_slices, k = 0;
	EP_AUTOFREE float *x = malloc(n_cells * EP_N_FEATURES * sizeof(*x));
	EP_AUTOFREE float *y = malloc(n_cells * N_OUTPUTS * sizeof(*y));

	if (!x || !y)
		return -ENOMEM;
	n_cells = pack(g, task->features, x);
	if (!n_cells)
		return 0;
	if (run_network(network, task, x, n_cells, y))
		return -ENOMEM;
	for (size_t e = 0; e < g->n_events; e++)
		if (!g->always[e] && g->samples[e].n)
			take(task->features, e, y + k++ * g->n_slices * N_OUTPUTS, out);
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
