/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The internal form of a series: a column for each event, with counts as rates. T slices, E events. Rates are
 * counts per mean slice (count / exposure), so that a short last slice is no outlier.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_GRID_H
#define EVPROF_REPORTER_ESTIMATE_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ep_series;

struct ep_sampled {
	size_t n;
	uint32_t *at; /* (n) indexes of measured slices, ascending */
};

enum { EP_N_CONTEXT = 2 };

struct ep_grid {
	size_t n_slices, n_events; /* T, E */
	/* the first slice of this window in the whole series, and the length of the series */
	size_t first_slice, n_all;
	double *rates;           /* (E, T); 0 in cells that were not measured */
	unsigned char *measured; /* (E, T) whether each cell was measured */
	unsigned char *wanted;   /* (E, T) whether each cell is to be filled; or NULL */
	unsigned char *always;   /* (E) events counted in every slice, which need no filling */
	unsigned *words;         /* (E) meanings of words in the event's name: event_words.h */
	double *exposure; /* (T) the slice's clock divided by the mean clock; 1 without a clock */
	bool has_context; /* a clock and a count of work are always on */
	/* (2, T) logs of idle issue slots and of work, each per tick of the clock; 0 where not known; or NULL */
	float *context;
	float *idle;                /* (T) log1p of idle issue slots; 0 where not known; or NULL */
	struct ep_sampled *samples; /* (E) samples of each event */
	bool is_view;               /* all memory except the samples belongs to another grid */
};

int ep_grid_init(struct ep_grid *out_grid, const struct ep_series *series);
/* Makes a grid without the arrays that only features need: wanted, context and idle are NULL. */
int ep_grid_init_rates(struct ep_grid *out_grid, const struct ep_series *series);
void ep_grid_finish(struct ep_grid *grid);

/* Makes a copy without the samples k of each event for which k mod n_folds is fold. Only these hidden cells
 * are wanted. Events of a group have their samples in the same slices, so that a hidden slice loses its whole
 * group. For a grid made by ep_grid_init_rates the copy is a view, valid while that grid is: its samples lack
 * the hidden cells, but its rates still have them. */
int ep_grid_hide(
	struct ep_grid *out_grid, const struct ep_grid *grid, unsigned fold, unsigned n_folds);

/* Makes all gaps wanted, not only the hidden samples. */
void ep_grid_want_gaps(struct ep_grid *grid);

/* Makes a copy of slices begin to end - 1. */
int ep_grid_window(struct ep_grid *out_grid, const struct ep_grid *grid, size_t begin, size_t end);

#define EP_AUTOGRID __attribute__((cleanup(ep_grid_finish)))

#endif
