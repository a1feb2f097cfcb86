/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums over slices. The estimate with the least relative error is a median of sorts and sums too
 * low for events that come in bursts; the expected counts sum well. The difference is spread over
 * the unmeasured slices where it hurts least.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_TOTALS_H
#define EVPROF_REPORTER_ESTIMATE_TOTALS_H

#include "reporter/estimate/estimate.h"

/* One event, T slices. */
struct ep_row {
	size_t n_slices;
	double *values;                /* (T) */
	double *errors;                /* (T) */
	const unsigned char *measured; /* (T) */
};

struct ep_totals {
	double mean; /* expected count of all unmeasured slices together */
};

/* Makes the unmeasured values add up to mean, but for what is noise; none goes below 0. 0 or
 * -ENOMEM. */
int ep_totals_settle(struct ep_row *row, double mean);

/* Sum of slices begin..end-1 and its standard error; inflation: of the variance. */
struct ep_sum ep_row_sum(const struct ep_row *row, size_t begin, size_t end, double inflation);

#endif
