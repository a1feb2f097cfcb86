/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inside form of a series: a column per event, counts as rates. T slices, E events.
 * Rates are counts per mean slice (count / exposure), so that a short last slice is no outlier.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_GRID_H
#define EVPROF_REPORTER_ESTIMATE_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ep_series;

struct ep_sampled {
	size_t n;
	uint32_t *at; /* (n) measured slices, ascending */
};

enum { EP_N_CONTEXT = 2 };

struct ep_grid {
	size_t n_slices, n_events; /* T, E */
	size_t first_slice, n_all; /* where this window lies in the whole series */
	double *rates;             /* (E, T); 0 where not measured */
	unsigned char *measured;   /* (E, T) */
	unsigned char *wanted;     /* (E, T) cells that are asked for: the gaps; or NULL */
	unsigned char *always;     /* (E) counted in every slice: nothing to fill */
	unsigned *words;           /* (E) what the event's name says: event_words.h */
	double *exposure; /* (T) the slice's clock over the mean clock, 1 without a clock */
	bool has_context; /* a clock and a count of work are always on */
	float *context;   /* (2, T) log idle share, log work rate; 0 without; or NULL */
	float *idle;      /* (T) log1p of idle issue slots; 0 without; or NULL */
	struct ep_sampled *samples; /* (E) */
	bool is_view;               /* all but the samples is another grid's */
};

int ep_grid_init(struct ep_grid *out_grid, const struct ep_series *series);
/* Without what only features are made of: wanted, context and idle stay NULL. */
int ep_grid_init_rates(struct ep_grid *out_grid, const struct ep_series *series);
void ep_grid_finish(struct ep_grid *grid);

/* A copy without the samples k of each event where k mod n_folds is fold: a hidden slice loses
 * its whole group, as in a slice where another group was on. Only what was hidden is wanted.
 * Of a grid of rates a view, good while the grid is, where what is hidden is no sample and still
 * has its rate. */
int ep_grid_hide(
	struct ep_grid *out_grid, const struct ep_grid *grid, unsigned fold, unsigned n_folds);

/* Makes all gaps wanted again. */
void ep_grid_want_gaps(struct ep_grid *grid);

/* A copy of slices begin..end-1. */
int ep_grid_window(struct ep_grid *out_grid, const struct ep_grid *grid, size_t begin, size_t end);

#define EP_AUTOGRID __attribute__((cleanup(ep_grid_finish)))

#endif
