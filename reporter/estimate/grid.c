// SPDX-License-Identifier: BSD-3-Clause
/* Series to columns of rates with their samples and the always-on context. */
#include "reporter/estimate/grid.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/estimate/estimate.h"
#include "reporter/estimate/event_words.h"

static int allocate(struct ep_grid *g, size_t n_slices, size_t n_events)
{
	g->n_slices = n_slices;
	g->n_events = n_events;
	g->n_all = n_slices;
	g->rates = calloc(n_events * n_slices, sizeof(*g->rates));
	g->measured = calloc(n_events, n_slices);
	g->wanted = calloc(n_events, n_slices);
	g->always = calloc(n_events, 1);
	g->words = calloc(n_events, sizeof(*g->words));
	g->exposure = calloc(n_slices, sizeof(*g->exposure));
	g->context = calloc(EP_N_CONTEXT * n_slices, sizeof(*g->context));
	g->idle = calloc(n_slices, sizeof(*g->idle));
	g->samples = calloc(n_events, sizeof(*g->samples));
	if (!g->rates || !g->measured || !g->wanted || !g->always || !g->words || !g->exposure ||
		!g->context || !g->idle || !g->samples)
		return -ENOMEM;
	return 0;
}

void ep_grid_finish(struct ep_grid *g)
{
	for (size_t e = 0; g->samples && e < g->n_events; e++)
		free(g->samples[e].at);
	free(g->rates);
	free(g->measured);
	free(g->wanted);
	free(g->always);
	free(g->words);
	free(g->exposure);
	free(g->context);
	free(g->idle);
	free(g->samples);
	*g = (struct ep_grid){ 0 };
}

void ep_grid_want_gaps(struct ep_grid *g)
{
	const unsigned char *measured = g->measured;
	unsigned char *wanted = g->wanted;
	size_t n_cells = g->n_events * g->n_slices;

	for (size_t cell = 0; cell < n_cells; cell++)
		wanted[cell] = !measured[cell];
}

static int collect_samples(struct ep_grid *g)
{
	for (size_t e = 0; e < g->n_events; e++) {
		const unsigned char *measured = g->measured + e * g->n_slices;
		uint32_t *at = malloc((g->n_slices + 1) * sizeof(*at));
		size_t n = 0;
		if (!at)
			return -ENOMEM;
		for (size_t t = 0; t < g->n_slices; t++) {
			at[n] = (uint32_t)t; /* behind the last, too, where there is room for one */
			n += measured[t];
		}
		g->samples[e] = (struct ep_sampled){ .at = at, .n = n };
	}
	ep_grid_want_gaps(g);
	return 0;
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

static void set_rates(struct ep_grid *g, const struct ep_series *s)
{
	for (size_t t = 0; t < g->n_slices; t++)
		for (size_t e = 0; e < g->n_events; e++) {
			size_t from = t * g->n_events + e, to = e * g->n_slices + t;
			g->measured[to] = s->measured[from];
			if (s->measured[from])
				g->rates[to] = s->values[from] / g->exposure[t];
		}
	for (size_t e = 0; e < g->n_events; e++) {
		g->always[e] = s->always[e];
		g->words[e] = ep_event_words(s->names[e]);
	}
}

/* Issue slots per clock tick: the next whole number above the highest work rate seen. */
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

int ep_grid_init(struct ep_grid *out_grid, const struct ep_series *series)
{
	EP_AUTOGRID struct ep_grid g = { 0 };

	if (allocate(&g, series->n_slices, series->n_events))
		return -ENOMEM;
	set_exposure(&g, series);
	set_rates(&g, series);
	set_context(&g, series);
	if (collect_samples(&g))
		return -ENOMEM;
	*out_grid = g;
	g = (struct ep_grid){ 0 };
	return 0;
}

/* All but the samples and what is wanted. */
static int copy_window(struct ep_grid *g, const struct ep_grid *grid, size_t begin, size_t end)
{
	size_t n = end - begin, n_from = grid->n_slices;

	if (allocate(g, n, grid->n_events))
		return -ENOMEM;
	g->first_slice = grid->first_slice + begin;
	g->n_all = grid->n_all;
	g->has_context = grid->has_context;
	for (size_t e = 0; e < g->n_events; e++) {
		memcpy(g->rates + e * n, grid->rates + e * n_from + begin, n * sizeof(*g->rates));
		memcpy(g->measured + e * n, grid->measured + e * n_from + begin, n);
	}
	for (size_t k = 0; k < EP_N_CONTEXT; k++)
		memcpy(g->context + k * n, grid->context + k * n_from + begin,
			n * sizeof(*g->context));
	memcpy(g->exposure, grid->exposure + begin, n * sizeof(*g->exposure));
	memcpy(g->idle, grid->idle + begin, n * sizeof(*g->idle));
	memcpy(g->always, grid->always, g->n_events);
	memcpy(g->words, grid->words, g->n_events * sizeof(*g->words));
	return 0;
}

int ep_grid_window(struct ep_grid *out_grid, const struct ep_grid *grid, size_t begin, size_t end)
{
	EP_AUTOGRID struct ep_grid g = { 0 };

	if (copy_window(&g, grid, begin, end) || collect_samples(&g))
		return -ENOMEM;
	*out_grid = g;
	g = (struct ep_grid){ 0 };
	return 0;
}

/* The event's samples but those of the fold, which become gaps that are wanted. */
static int hide_samples(struct ep_grid *g, const struct ep_sampled *all, size_t event,
	unsigned fold, unsigned n_folds)
{
	uint32_t *at = malloc((all->n + 1) * sizeof(*at));
	size_t n_kept = 0;

	if (!at)
		return -ENOMEM;
	for (size_t k = 0; k < all->n; k++) {
		size_t cell = event * g->n_slices + all->at[k];
		if (g->always[event] || k % n_folds != fold) {
			at[n_kept++] = all->at[k];
			continue;
		}
		g->measured[cell] = 0;
		g->wanted[cell] = 1;
		g->rates[cell] = 0;
	}
	g->samples[event] = (struct ep_sampled){ .n = n_kept, .at = at };
	return 0;
}

int ep_grid_hide(
	struct ep_grid *out_grid, const struct ep_grid *grid, unsigned fold, unsigned n_folds)
{
	EP_AUTOGRID struct ep_grid g = { 0 };
	int rc = copy_window(&g, grid, 0, grid->n_slices);

	for (size_t e = 0; e < grid->n_events && !rc; e++)
		rc = hide_samples(&g, &grid->samples[e], e, fold, n_folds);
	if (rc)
		return rc;
	*out_grid = g;
	g = (struct ep_grid){ 0 };
	return 0;
}
