/* SPDX-License-Identifier: BSD-3-Clause */
/* How far a filled series is from the truth, by the measures of the method papers. */
#ifndef EVPROF_REPORTER_ESTIMATE_ACCURACY_H
#define EVPROF_REPORTER_ESTIMATE_ACCURACY_H

#include "reporter/estimate/estimate.h"

/* One event of one run. NaN: could not be had (too few slices, a total of 0). */
struct ep_accuracy {
	double ra;     /* 1 - mean |estimate - count| / count over unmeasured slices with a count
			* above 0, at least 5 of them, the tail cut; not below 0 */
	double ra_100; /* the same over counts of 100 and more */
	double total_error;   /* |total - truth| / truth */
	double dtw;           /* DTW cost of the log10(1 + x) series, the tail cut */
	double covered;       /* share of unmeasured slices inside the 95 % interval */
	double total_covered; /* 1 or 0: the total inside its interval */
};

/* truth: (T, E) complete; values, errors: (T, E) as ep_fit_fill() gives them; measured: (T, E).
 * band: of the DTW, 0 for none. */
struct ep_accuracy ep_accuracy_of(const struct ep_series *masked, const double *values,
	const double *errors, const struct ep_fit *fit, size_t event, size_t band);

/* The parts of it, for a truth that comes from another run. n slices. */
struct ep_accuracy_column {
	size_t n_slices;
	const double *truth, *values, *errors; /* (n) */
	const unsigned char *measured;         /* (n) */
};
/* ra, ra_100 and covered; the others NaN. */
struct ep_accuracy ep_accuracy_of_slices(const struct ep_accuracy_column *column);
/* total_error and total_covered. truth: (n) */
void ep_accuracy_set_total(struct ep_accuracy *accuracy, const struct ep_event_fit *fit,
	const double *truth, size_t n);
/* The DTW cost of counts a (n) against b (m) as above. */
double ep_accuracy_dtw(const double *a, size_t n, const double *b, size_t m, size_t band);

/* Column `event` of (n_slices, n_events), the caller's to free; NULL when out of memory. */
double *ep_column_copy(const double *cells, size_t n_slices, size_t n_events, size_t event);

#endif
