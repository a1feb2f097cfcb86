// SPDX-License-Identifier: BSD-3-Clause
/* Uses the networks as estimators: a network takes features, and gives three numbers for each cell. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/estimate/cell_features.h"
#include "reporter/estimate/estimator.h"
#include "reporter/estimate/models.h"

enum { N_OUTPUTS = EP_N_NETWORK_OUTPUTS };

/* Converts a log to a rate. e^43 is more than any count. */
static double unlog(double log_rate)
{
	return expm1(fmax(0, fmin(log_rate, 43)));
}

/* Intervals are multiplied by this factor, since programs that were not in the training are filled less well
 * than new runs of trained programs. With 1.15 the intervals hold 97 % of the true counts of such new runs. */
static const double unseen_margin = 1.15;

/* The cells that a network is run for, and its answers. N cells, in sequences of n_steps steps. */
struct network_batch {
	size_t n_cells, n_steps;
	size_t *cells; /* (N) indexes into (E, T) */
	float *x;      /* (N, F) features */
	float *y;      /* (N, 3) outputs of the network */
	float *moved;  /* (N) correction of a baseline's value, as a log; 0 without a baseline */
};

static void batch_finish(struct network_batch *b)
{
	free(b->cells);
	free(b->x);
	free(b->y);
	free(b->moved);
}

static bool is_filled(const struct ep_grid *g, size_t event)
{
	return !g->always[event] && g->samples[event].n;
}

/* Lists the gaps, each as a sequence of its own: for a perceptron. */
static void list_gaps(struct network_batch *b, const struct ep_grid *g)
{
	b->n_steps = 1;
	for (size_t cell = 0; cell < g->n_events * g->n_slices; cell++)
		if (g->wanted[cell] && is_filled(g, cell / g->n_slices))
			b->cells[b->n_cells++] = cell;
}

/* Lists whole series: for a recurrent network. */
static void list_series(struct network_batch *b, const struct ep_grid *g)
{
	b->n_steps = g->n_slices;
	for (size_t cell = 0; cell < g->n_events * g->n_slices; cell++)
		if (is_filled(g, cell / g->n_slices))
			b->cells[b->n_cells++] = cell;
}

static int pack(struct network_batch *b, const struct ep_features *f)
{
	b->x = malloc((b->n_cells + 1) * EP_N_FEATURES * sizeof(*b->x));
	b->y = malloc((b->n_cells + 1) * N_OUTPUTS * sizeof(*b->y));
	b->moved = calloc(b->n_cells + 1, sizeof(*b->moved));
	if (!b->x || !b->y || !b->moved)
		return -ENOMEM;
	for (size_t i = 0; i < b->n_cells; i++)
		memcpy(b->x + i * EP_N_FEATURES, f->x + b->cells[i] * EP_N_FEATURES,
			EP_N_FEATURES * sizeof(*b->x));
	return 0;
}

/* Converts the answers to estimates. The width was trained for the baseline's value, so that the size of the
 * correction to this value is added to the width. */
static void take(const struct ep_features *f, const struct network_batch *b,
	const unsigned char *wanted, struct ep_estimate *estimate)
{
	for (size_t i = 0; i < b->n_cells; i++) {
		const float *o = b->y + i * N_OUTPUTS;
		size_t cell = b->cells[i];
		double log_value = f->base[cell] + o[EP_OUT_VALUE];
		double value = unlog(log_value), before = unlog(log_value - b->moved[i]);
		if (!wanted[cell])
			continue;
		estimate->value[cell] = value;
		estimate->mean[cell] = unlog(f->base[cell] + o[EP_OUT_MEAN]);
		estimate->spread[cell] =
			unlog(o[EP_OUT_WIDTH]) * unseen_margin + fabs(value - before) + 0.01;
	}
}

/* Runs a network: x (N, F) features, which are overwritten -> y (N, 3). */
static int answer(
	const struct ep_network *network, float *x, const struct network_batch *b, float *y)
{
	ep_network_scale(network, x, b->n_cells);
	return ep_network_run(network, x, b->n_cells / b->n_steps, b->n_steps, y);
}

/* Returns the features of each row followed by the baseline's answers: (n_cells, F + 3). */
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

/* Adds a network's corrections to the baseline's answers in b->y. */
static int correct(const struct ep_network *network, const float *x, struct network_batch *b)
{
	EP_AUTOFREE float *wide = widen(x, b->y, b->n_cells);
	EP_AUTOFREE float *more = malloc((b->n_cells + 1) * N_OUTPUTS * sizeof(*more));

	if (!wide || !more || answer(network, wide, b, more))
		return -ENOMEM;
	for (size_t i = 0; i < b->n_cells * N_OUTPUTS; i++)
		b->y[i] += more[i];
	for (size_t i = 0; i < b->n_cells; i++)
		b->moved[i] = more[i * N_OUTPUTS + EP_OUT_VALUE];
	return 0;
}

static int run_network(
	const struct ep_network *network, const struct ep_models *models, struct network_batch *b)
{
	size_t size_bytes = b->n_cells * EP_N_FEATURES * sizeof(*b->x);
	EP_AUTOFREE float *kept = NULL;

	if (!ep_network_has_baseline(network))
		return answer(network, b->x, b, b->y);
	kept = malloc(size_bytes);
	if (!kept)
		return -ENOMEM;
	memcpy(kept, b->x, size_bytes);
	if (answer(models->mlp, kept, b, b->y))
		return -ENOMEM;
	return correct(network, b->x, b);
}

typedef void (*list_fn)(struct network_batch *, const struct ep_grid *);

static int fill_with(const struct ep_network *network, list_fn list,
	const struct ep_fill_task *task, struct ep_estimate *out)
{
	const struct ep_grid *g = task->grid;
	__attribute__((cleanup(batch_finish))) struct network_batch b = { 0 };

	b.cells = malloc((g->n_events * g->n_slices + 1) * sizeof(*b.cells));
	if (!b.cells)
		return -ENOMEM;
	list(&b, g);
	if (!b.n_cells)
		return 0;
	if (pack(&b, task->features) || run_network(network, task->models, &b))
		return -ENOMEM;
	take(task->features, &b, g->wanted, out);
	return 0;
}

int ep_fill_mlp(const struct ep_fill_task *task, struct ep_estimate *out)
{
	return fill_with(task->models->mlp, list_gaps, task, out);
}

int ep_fill_gru(const struct ep_fill_task *task, struct ep_estimate *out)
{
	return fill_with(task->models->gru, list_series, task, out);
}
