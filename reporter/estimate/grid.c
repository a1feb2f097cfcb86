// SPDX-License-Identifier: BSD-3-Clause
/* Converts series to columns of rates, with the samples of each event and the events that are always on. */
#include "reporter/estimate/grid.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/estimate/estimate.h"
#include "reporter/estimate/event_words.h"

/* Allocates a grid; the caller must write all of it except the samples. */
static int allocate(struct ep_grid *g, size_t n_slices, size_t n_events)
{
	g->n_slices = n_slices;
	g->n_events = n_events;
	g->n_all = n_slices;
	g->rates = malloc((n_events * n_slices + 1) * sizeof(*g->rates));
	g->measured = malloc(n_events * n_slices + 1);
	g->always = malloc(n_events + 1);
	g->words = malloc((n_events + 1) * sizeof(*g->words));
	g->exposure = malloc((n_slices + 1) * sizeof(*g->exposure));
	g->samples = calloc(n_events + 1, sizeof(*g->samples));
	return g->rates && g->measured && g->always && g->words && g->exposure && g->samples
		       ? 0
		       : -ENOMEM;
}

static int allocate_context(struct ep_grid *g)
{
	g->wanted = calloc(g->n_events + 1, g->n_slices);
	g->context = calloc(EP_N_CONTEXT * g->n_slices + 1, sizeof(*g->context));
	g->idle = calloc(g->n_slices + 1, sizeof(*g->idle));
	return g->wanted && g->context && g->idle ? 0 : -ENOMEM;
}

static void free_cells(struct ep_grid *g)
{
	free(g->rates);
	free(g->measured);
	free(g->wanted);
	free(g->always);
	free(g->words);
	free(g->exposure);
	free(g->context);
	free(g->idle);
}

void ep_grid_finish(struct ep_grid *g)
{
	for (size_t e = 0; g->samples && e < g->n_events; e++)
		free(g->samples[e].at);
	free(g->samples);
	if (!g->is_view)
		free_cells(g);
	*g = (struct ep_grid){ 0 };
}

void ep_grid_want_gaps(struct ep_grid *g)
{
	const unsigned char *measured = g->measured;
	unsigned char *wanted = g->wanted;
	size_t n_cells = g->n_events * g->n_slices;

	for (size_t cell = 0; wanted && cell < n_cells; cell++)
		wanted[cell] = !measured[cell];
}

static void set_exposure(struct ep_grid *g, const struct ep_series *s)
{
	double sum = 0;
	size_t n = 0;

	for (size_t t = 0; s->clock >= 0 && t < g->n_slices; t++) {
		double clock = s->values[t * s->n_events + s->clock];
		if (clock > 0) {
			sum += clock;
			n++;
		}
	}
	for (size_t t = 0; t < g->n_slices; t++) {
		double clock = s->clock >= 0 ? s->values[t * s->n_events + s->clock] : 0;
		g->exposure[t] = clock > 0 ? clock / (sum / n) : 1;
	}
}

static int set_event(struct ep_grid *g, const struct ep_series *s, size_t e)
{
	size_t n_slices = g->n_slices, n = 0;
	unsigned char *measured = g->measured + e * n_slices;
	const double *exposure = g->exposure;
	double *rates = g->rates + e * n_slices;
	uint32_t *at = malloc((n_slices + 1) * sizeof(*at));

	if (!at)
		return -ENOMEM;
	for (size_t t = 0, from = e; t < n_slices; t++, from += s->n_events) {
		bool is_measured = s->measured[from];

		measured[t] = is_measured;
		rates[t] = is_measured ? s->values[from] / exposure[t] : 0;
		/* at[n] is written in every slice; at has one element more, for writes after the last sample */
		at[n] = (uint32_t)t;
		n += is_measured;
	}
	g->samples[e] = (struct ep_sampled){ .at = at, .n = n };
	g->always[e] = s->always[e];
	g->words[e] = ep_event_words(s->names[e]);
	return 0;
}

/* Returns the issue slots per clock tick, estimated as the highest work per tick, rounded up; at least 1. */
static double slots_per_tick(const struct ep_series *s)
{
	double highest = 0;

	for (size_t t = 0; t < s->n_slices; t++) {
		double clock = s->values[t * s->n_events + s->clock];
		double work = s->values[t * s->n_events + s->work];
		if (clock > 0 && work / clock > highest)
			highest = work / clock;
	}
	return fmax(1, ceil(highest));
}

static void set_context(struct ep_grid *g, const struct ep_series *s)
{
	double n_slots;

	if (s->clock < 0 || s->work < 0)
		return;
	g->has_context = true;
	n_slots = slots_per_tick(s);
	for (size_t t = 0; t < g->n_slices; t++) {
		double clock = fmax(s->values[t * s->n_events + s->clock], 1);
		double work = fmax(s->values[t * s->n_events + s->work], 1);
		double idle = fmax(n_slots * clock - work, 1);
		g->context[t] = (float)log(idle / clock);
		g->context[g->n_slices + t] = (float)log(work / clock);
		g->idle[t] = (float)log1p(idle / g->exposure[t]);
	}
}

static int init_rates(struct ep_grid *g, const struct ep_series *s)
{
	int rc = allocate(g, s->n_slices, s->n_events);

	if (!rc)
		set_exposure(g, s);
	for (size_t e = 0; e < s->n_events && !rc; e++)
		rc = set_event(g, s, e);
	return rc;
}

int ep_grid_init_rates(struct ep_grid *out_grid, const struct ep_series *series)
{
	EP_AUTOGRID struct ep_grid g = { 0 };

	if (init_rates(&g, series))
		return -ENOMEM;
	*out_grid = g;
	g = (struct ep_grid){ 0 };
	return 0;
}

int ep_grid_init(struct ep_grid *out_grid, const struct ep_series *series)
{
	EP_AUTOGRID struct ep_grid g = { 0 };

	if (init_rates(&g, series) || allocate_context(&g))
		return -ENOMEM;
	set_context(&g, series);
	ep_grid_want_gaps(&g);
	*out_grid = g;
	g = (struct ep_grid){ 0 };
	return 0;
}

static int copy_context(struct ep_grid *g, const struct ep_grid *grid, size_t begin)
{
	if (!grid->wanted)
		return 0;
	if (allocate_context(g))
		return -ENOMEM;
	g->has_context = grid->has_context;
	for (size_t k = 0; k < EP_N_CONTEXT; k++)
		memcpy(g->context + k * g->n_slices, grid->context + k * grid->n_slices + begin,
			g->n_slices * sizeof(*g->context));
	memcpy(g->idle, grid->idle + begin, g->n_slices * sizeof(*g->idle));
	return 0;
}

/* Copies a part of a grid, except its samples and the flags of wanted cells. */
static int copy_window(struct ep_grid *g, const struct ep_grid *grid, size_t begin, size_t end)
{
	size_t n = end - begin, n_from = grid->n_slices;

	if (allocate(g, n, grid->n_events) || copy_context(g, grid, begin))
		return -ENOMEM;
	g->first_slice = grid->first_slice + begin;
	g->n_all = grid->n_all;
	for (size_t e = 0; e < g->n_events; e++) {
		memcpy(g->rates + e * n, grid->rates + e * n_from + begin, n * sizeof(*g->rates));
		memcpy(g->measured + e * n, grid->measured + e * n_from + begin, n);
	}
	memcpy(g->exposure, grid->exposure + begin, n * sizeof(*g->exposure));
	memcpy(g->always, grid->always, g->n_events);
	memcpy(g->words, grid->words, g->n_events * sizeof(*g->words));
	return 0;
}

/* Returns the index of the first sample at slice t or later. */
static size_t first_sample(const struct ep_sampled *s, size_t t)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->at[middle] < t)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int copy_samples(struct ep_grid *g, const struct ep_grid *grid, size_t begin, size_t end)
{
	for (size_t e = 0; e < g->n_events; e++) {
		const struct ep_sampled *all = &grid->samples[e];
		size_t from = first_sample(all, begin), n = first_sample(all, end) - from;
		uint32_t *at = malloc((n + 1) * sizeof(*at));

		if (!at)
			return -ENOMEM;
		for (size_t i = 0; i < n; i++)
			at[i] = (uint32_t)(all->at[from + i] - begin);
		g->samples[e] = (struct ep_sampled){ .at = at, .n = n };
	}
	return 0;
}

int ep_grid_window(struct ep_grid *out_grid, const struct ep_grid *grid, size_t begin, size_t end)
{
	EP_AUTOGRID struct ep_grid g = { 0 };

	if (copy_window(&g, grid, begin, end) || copy_samples(&g, grid, begin, end))
		return -ENOMEM;
	ep_grid_want_gaps(&g);
	*out_grid = g;
	g = (struct ep_grid){ 0 };
	return 0;
}

/* Keeps the event's samples, except those of the fold: every n_folds-th sample, from index fold on. */
static int keep_samples(struct ep_grid *g, const struct ep_sampled *all, size_t event,
	unsigned fold, unsigned n_folds)
{
	uint32_t *at = malloc((all->n + 1) * sizeof(*at));
	size_t n_kept = 0, turn = 0;

	if (!at)
		return -ENOMEM;
	for (size_t k = 0; k < all->n; k++) {
		at[n_kept] = all->at[k];
		n_kept += g->always[event] || turn != fold;
		turn = turn + 1 < n_folds ? turn + 1 : 0;
	}
	g->samples[event] = (struct ep_sampled){ .n = n_kept, .at = at };
	return 0;
}

/* Turns the fold's samples into gaps, which the estimators then fill. */
static void hide_samples(struct ep_grid *g, const struct ep_sampled *all, size_t event,
	unsigned fold, unsigned n_folds)
{
	for (size_t k = fold; k < all->n && !g->always[event]; k += n_folds) {
		size_t cell = event * g->n_slices + all->at[k];

		g->measured[cell] = 0;
		g->wanted[cell] = 1;
		g->rates[cell] = 0;
	}
}

static int view(struct ep_grid *g, const struct ep_grid *grid)
{
	*g = *grid;
	g->is_view = true;
	g->samples = calloc(g->n_events + 1, sizeof(*g->samples));
	return g->samples ? 0 : -ENOMEM;
}

int ep_grid_hide(
	struct ep_grid *out_grid, const struct ep_grid *grid, unsigned fold, unsigned n_folds)
{
	EP_AUTOGRID struct ep_grid g = { 0 };
	int rc = grid->wanted ? copy_window(&g, grid, 0, grid->n_slices) : view(&g, grid);

	for (size_t e = 0; e < grid->n_events && !rc; e++) {
		rc = keep_samples(&g, &grid->samples[e], e, fold, n_folds);
		if (!rc && grid->wanted)
			hide_samples(&g, &grid->samples[e], e, fold, n_folds);
	}
	if (rc)
		return rc;
	*out_grid = g;
	g = (struct ep_grid){ 0 };
	return 0;
}
