/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums over slices. The estimate with the least relative error is a median of sorts and sums too
 * low for events that come in bursts; the expected counts sum well. The difference is spread over
 * the unmeasured slices where it hurts least.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_TOTALS_H
#define EVPROF_REPORTER_ESTIMATE_TOTALS_H

#include "common/error.h"

#include <stddef.h>

/* One event, T slices. */
struct ep_total_row {
	size_t n_slices;
	double *values;                /* (T) */
	double *errors;                /* (T) */
	const unsigned char *measured; /* (T) */
};

/* Makes the unmeasured values add up to mean, their expected count together, but for what is noise;
 * none goes below 0. 0 or -ENOMEM. */
int ep_totals_settle(struct ep_total_row *row, double mean) EP_MUST_CHECK;

/* The sum of all and its standard error; inflation: of the variance. */
struct ep_sum {
	double value, error;
};
struct ep_sum ep_total_row_sum(const struct ep_total_row *row, double inflation);

#endif
