/* SPDX-License-Identifier: BSD-3-Clause */
/* The count of an event in the run or in a place, with what is known about its error. */
#ifndef EVPROF_REPORTER_FACTS_REPORT_VALUE_H
#define EVPROF_REPORTER_FACTS_REPORT_VALUE_H

#include "reporter/facts/quantity.h"

#include <stdint.h>

/* A count of one event. */
struct ep_report_value {
	/* The count. Its error has two parts: the error of estimates for slices that did not measure the
	 * event, and, for procedures, lines and modules, the error of sampling. Without a measured slice the
	 * count is unknown. */
	struct ep_quantity count;
	struct ep_quantity estimate_error; /* the first part of count's error */
	bool is_estimate;                  /* a part of the count was not measured */
	bool is_partial;                   /* the counts of lost samples are missing */
	/* share of the place's CPU time in which the event was measured */
	double measured_share;
	/* The part of the standard error of a place's count that comes from slices which the place shares
	 * with others, and from having few ticks of the event. The changes in replicas do not show this part. */
	double placing_error;
	uint64_t n_ticks; /* ticks of the event that ended here; 0 where has_ticks is false */
	bool has_ticks;   /* the place's share comes from the event's own ticks */
	/* Too many slices are shared with other places to tell the count: it may be anything from low to
	 * high. */
	bool is_mixed;
	double low, high;
	/* (EP_N_REPLICAS) changes of count in replicas of the estimates; NULL: there are none. The memory
	 * belongs to the trace or to the row */
	const float *changes;
};

/* Makes a value that was measured all the time; error: standard error, which is 0 unless parts of the count
 * are bounds. */
static inline struct ep_report_value ep_value_exact(double count, double error)
{
	return (struct ep_report_value){ .count = ep_quantity_within(count, error),
		.estimate_error = ep_quantity_exact(error),
		.measured_share = 1 };
}

/* Adds more to sum. The sum's state is that of the less known part. The caller must add measured shares,
 * ticks and changes. */
static inline void ep_value_add_count(
	struct ep_report_value *sum, const struct ep_report_value *more)
{
	struct ep_quantity *error = &sum->estimate_error;

	if (more->count.state < sum->count.state)
		sum->count.state = more->count.state;
	sum->count.value += more->count.value;
	sum->count.error = ep_error_add(sum->count.error, more->count.error);
	if (ep_quantity_is_known(error) && ep_quantity_is_known(&more->estimate_error))
		*error = ep_quantity_exact(ep_error_add(error->value, more->estimate_error.value));
	else
		*error = ep_quantity_unknown("that of a part's count is not known");
	sum->is_estimate |= more->is_estimate;
	sum->is_partial |= more->is_partial;
}

#endif
