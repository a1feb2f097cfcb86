/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures how far a filled series is from the true counts, by the measures that papers on estimators use
 * (docs/estimators.md). */
#ifndef EVPROF_REPORTER_ESTIMATE_ACCURACY_H
#define EVPROF_REPORTER_ESTIMATE_ACCURACY_H

#include "reporter/estimate/estimate.h"

/* The accuracy of one event of one run. NaN: the value cannot be computed (too few slices, a total of 0). */
struct ep_accuracy {
	/* 1 - mean of |estimate - count| / count, at least 0. The mean is over unmeasured slices with a count
	 * above 0, without the tail (the last slices, ep_tail_slices()). NaN: fewer than 5 such slices */
	double ra;
	double ra_100;      /* ra of slices with counts of 100 and more only */
	double total_error; /* |total - truth| / truth */
	double dtw;         /* DTW cost (dtw.h) of log10(1 + count), without the tail */
	/* share of unmeasured slices whose true count is inside the 95 % interval */
	double covered;
	double total_covered; /* 1: the true total is inside its 95 % interval; 0: not inside */
};

/* Computes all measures of one event. masked: its values are the true counts of all cells (T, E), and its
 * measured flags tell which cells the fit saw; values, errors: (T, E) as ep_fit_fill() gives them. band: the
 * band of the DTW, 0 for none. */
struct ep_accuracy ep_accuracy_of(const struct ep_series *masked, const double *values,
	const double *errors, const struct ep_fit *fit, size_t event, size_t band);

/* The n slices of one event, if the true counts come from another run. */
struct ep_accuracy_column {
	size_t n_slices;
	/* (n) true counts, filled counts and their standard errors */
	const double *truth, *values, *errors;
	const unsigned char *measured; /* (n) whether each slice was measured */
};
/* Computes ra, ra_100 and covered; the other members are NaN. */
struct ep_accuracy ep_accuracy_of_slices(const struct ep_accuracy_column *column);
/* Sets total_error and total_covered. truth: (n) */
void ep_accuracy_set_total(struct ep_accuracy *accuracy, const struct ep_event_fit *fit,
	const double *truth, size_t n);
/* Returns the DTW cost of counts a (n) against b (m), as in struct ep_accuracy. */
double ep_accuracy_dtw(const double *a, size_t n, const double *b, size_t m, size_t band);

/* Copies column `event` of (n_slices, n_events); the caller frees it. NULL: out of memory. */
double *ep_column_copy(const double *cells, size_t n_slices, size_t n_events, size_t event);

#endif
