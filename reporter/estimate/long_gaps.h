/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stretches in which an event was not measured for much longer than its turn takes: counters that
 * stopped, or started late. The hold-out hides single turns and cannot tell how far the program
 * goes its own way in such a gap. T slices, E events.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_LONG_GAPS_H
#define EVPROF_REPORTER_ESTIMATE_LONG_GAPS_H

#include "reporter/estimate/grid.h"

/* A gap of more slices is long, where n_samples of n_slices have the event. */
double ep_long_gap_slices(size_t n_slices, size_t n_samples);

/* Slices begin..end-1. Zero: before the first. */
struct ep_long_gap {
	size_t begin, end;
	size_t n_before; /* samples */
};

/* Goes on to the event's next long gap; false: there is none. The event has samples. */
bool ep_long_gap_next(const struct ep_grid *grid, size_t event, struct ep_long_gap *gap);

/* Mean number of slices from one sample to the next where there is no long gap. */
double ep_long_gaps_turn(const struct ep_grid *grid, size_t event);

/* Counts of one event and their standard errors: (T) each. */
struct ep_gap_row {
	double *values, *errors;
	double *shared; /* the part of the errors that is common to a gap's slices */
};

/* Sets value and error of the gap's slices begin..end-1 by a straight line between the samples
 * beside it. Returns the sum of what it sets. */
double ep_long_gap_fill(const struct ep_grid *grid, size_t event, const struct ep_long_gap *gap,
	size_t begin, size_t end, const struct ep_gap_row *row);

/* Adds to the errors of the gap's slices what they have in common, the error of the gap's mean
 * rate, and sets it in shared. Returns the variance that it adds to that of their sum. */
double ep_long_gap_share(const struct ep_grid *grid, size_t event, const struct ep_long_gap *gap,
	const struct ep_gap_row *row);

#endif
