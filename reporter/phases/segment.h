/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the borders at which a series of windows changes, and which of the stretches between borders are alike. The
 * borders are the best segmentation under a penalty for each border, found exactly by PELT (Killick, Fearnhead,
 * Eckley: Optimal detection of changepoints with a linear computational cost, JASA 107, 2012). A stretch's cost is the
 * negative log-likelihood of its windows. Where the program ran is modelled as one mix of procedures (as the basic
 * block vectors of Sherwood et al., SimPoint, ASPLOS 2002), and each rate as a normal value. Two stretches are of one
 * kind if their joint cost is not above the sum of their own costs by more than the penalty. In shapes of arrays, T is
 * the number of windows, S that of shares, R that of rates. One thread at a time may use a segmentation.
 */
#ifndef EVPROF_REPORTER_PHASES_SEGMENT_H
#define EVPROF_REPORTER_PHASES_SEGMENT_H

#include "common/error.h"

#include <stdint.h>

#define EP_SHORTEST_STRETCH 4 /* windows; a change for fewer is taken as noise */

struct ep_window_series {
	uint32_t n_windows, n_shares, n_rates;
	const double *shares; /* (T, S) samples, or parts of samples, in each column of places */
	const double *rates;  /* (T, R) NaN: not known for the window */
	/* (R) least standard deviation of the logarithm of each rate; a smaller difference is taken as noise */
	const double *least_scatters;
};

struct ep_stretch_of_windows {
	uint32_t from, to; /* windows [from, to) */
	/* the first stretch has kind 0; others are numbered in the order in which they come */
	uint32_t kind;
};

struct ep_segmentation {
	struct ep_stretch_of_windows *stretches; /* (n_stretches) together they cover all windows */
	uint32_t n_stretches, n_kinds;           /* n_kinds 1: there are no phases */
};

/* Segments a series. Without windows there is no stretch. Returns 0 or -ENOMEM. */
int ep_segment(const struct ep_window_series *series, struct ep_segmentation *out) EP_MUST_CHECK;
/* Joins neighbours of one kind and numbers the kinds anew, after kinds have changed. Returns 0 or -ENOMEM. */
int ep_segmentation_tidy(struct ep_segmentation *segmentation) EP_MUST_CHECK;
void ep_segmentation_finish(struct ep_segmentation *segmentation);

/* Stretches that follow each other in the same order of kinds, as a program's iterations do. first: index of the first
 * stretch. */
struct ep_repeat {
	uint32_t first, length; /* length: number of stretches of one turn */
	uint32_t n_turns;       /* 1: the stretch is not repeated, and length is 1 */
};

/* Divides the stretches into repeats; out_repeats has room for n_stretches. Returns their number. */
uint32_t ep_repeats_find(const struct ep_segmentation *segmentation, struct ep_repeat *out_repeats);

#endif
