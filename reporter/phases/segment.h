/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a series of windows changes its nature, and which of its stretches are alike.
 *
 * Borders are the best segmentation under a penalty for each, found exactly by PELT (Killick, Fearnhead,
 * Eckley: Optimal detection of changepoints with a linear computational cost, JASA 107, 2012). A
 * stretch's cost is the negative log-likelihood of its windows: of where the program ran as one mix of
 * procedures (the basic block vectors of Sherwood et al., SimPoint, ASPLOS 2002), of each rate as a normal
 * value. Stretches whose joint cost is not above their own by more than the penalty are of one kind.
 *
 * T = windows, S = shares, R = rates. One thread.
 */
#ifndef EVPROF_REPORTER_PHASES_SEGMENT_H
#define EVPROF_REPORTER_PHASES_SEGMENT_H

#include "common/error.h"

#include <stdint.h>

#define EP_SHORTEST_STRETCH 4 /* windows: fewer are noise */

struct ep_window_series {
	uint32_t n_windows, n_shares, n_rates;
	const double *shares; /* (T, S) samples, also parts of one, by where the program ran */
	const double *rates;  /* (T, R) NaN: not known of the window */
	/* (R) by how much windows may differ in the logarithm of a rate without a cause */
	const double *least_scatters;
};

struct ep_stretch_of_windows {
	uint32_t from, to; /* windows [from, to) */
	uint32_t kind;     /* 0 is that of the first stretch, then as they come */
};

struct ep_segmentation {
	struct ep_stretch_of_windows *stretches; /* (n_stretches) cover all windows */
	uint32_t n_stretches, n_kinds;           /* n_kinds 1: there are no phases */
};

/* n_windows of 0 give no stretch. 0 or -ENOMEM. */
int ep_segment(const struct ep_window_series *series, struct ep_segmentation *out) EP_MUST_CHECK;
/* Joins neighbours of one kind and numbers the kinds anew, after some have changed. 0 or -ENOMEM. */
int ep_segmentation_tidy(struct ep_segmentation *segmentation) EP_MUST_CHECK;
void ep_segmentation_finish(struct ep_segmentation *segmentation);

/* Stretches that follow each other as the same kinds in turn: iterations. */
struct ep_repeat {
	uint32_t first, length; /* stretches of one turn */
	uint32_t n_turns;       /* 1: it stands alone, and length is 1 */
};

/* Parts the stretches into repeats; out has room for n_stretches. Returns how many there are. */
uint32_t ep_repeats_find(const struct ep_segmentation *segmentation, struct ep_repeat *out_repeats);

#endif
