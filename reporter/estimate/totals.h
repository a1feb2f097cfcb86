/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Corrects sums over slices. The estimate with the least relative error is similar to a median, and its sums
 * are too low for events that come in bursts; expected counts have correct sums. The difference between the
 * two sums is spread over the unmeasured slices with the largest values, where it changes relative errors
 * least.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_TOTALS_H
#define EVPROF_REPORTER_ESTIMATE_TOTALS_H

#include "common/error.h"

#include <stddef.h>

/* One event, T slices. */
struct ep_total_row {
	size_t n_slices;
	double *values;                /* (T) counts */
	double *errors;                /* (T) standard errors */
	const unsigned char *measured; /* (T) whether each slice was measured */
};

/* Changes the unmeasured values so that they add up to mean, the expected sum of these values. A difference
 * within the noise of mean is left; no value becomes negative. 0 or -ENOMEM. */
int ep_totals_settle(struct ep_total_row *row, double mean) EP_MUST_CHECK;

/* The sum of all slices and its standard error; inflation: factor of the variance. */
struct ep_sum {
	double value, error;
};
struct ep_sum ep_total_row_sum(const struct ep_total_row *row, double inflation);

#endif
