/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles long gaps, in which an event was not measured for much longer than a rotation (one turn of every
 * group) takes, because counters were stopped or started late. The hold-out hides single turns, and cannot
 * tell how much the program changes in such a gap. T slices, E events.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_LONG_GAPS_H
#define EVPROF_REPORTER_ESTIMATE_LONG_GAPS_H

#include "reporter/estimate/grid.h"

/* Returns the length above which a gap is long, if n_samples of n_slices measured the event. */
double ep_long_gap_slices(size_t n_slices, size_t n_samples);

/* A long gap: slices begin to end - 1. All members are 0 before the first call of ep_long_gap_next(). */
struct ep_long_gap {
	size_t begin, end;
	size_t n_before; /* number of samples before the gap */
};

/* Replaces *gap by the event's next long gap; false: there is none. The event must have samples. */
bool ep_long_gap_next(const struct ep_grid *grid, size_t event, struct ep_long_gap *gap);

/* Returns the mean number of slices from one sample to the next, outside of long gaps. */
double ep_long_gaps_turn(const struct ep_grid *grid, size_t event);

/* Counts of one event and their standard errors: (T) each. */
struct ep_gap_row {
	double *values, *errors;
	double *shared; /* the part of the errors that all slices of a gap have in common */
};

/* Fills the gap's slices from begin to end - 1 by a line between the mean rates of the samples on both sides,
 * and sets the errors of these slices. Returns the sum of these counts. */
double ep_long_gap_fill(const struct ep_grid *grid, size_t event, const struct ep_long_gap *gap,
	size_t begin, size_t end, const struct ep_gap_row *row);

/* Adds the error of the gap's mean rate, which all slices of the gap have in common, to row->errors, and
 * stores it in row->shared. Returns the variance that this error adds to the variance of the slices' sum. */
double ep_long_gap_share(const struct ep_grid *grid, size_t event, const struct ep_long_gap *gap,
	const struct ep_gap_row *row);

#endif
