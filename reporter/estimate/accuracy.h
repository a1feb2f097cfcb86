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

#endif
