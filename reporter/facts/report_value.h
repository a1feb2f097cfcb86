/* SPDX-License-Identifier: BSD-3-Clause */
/* How often an event happened, of the run or of a place, and what is known of that count. */
#ifndef EVPROF_REPORTER_FACTS_REPORT_VALUE_H
#define EVPROF_REPORTER_FACTS_REPORT_VALUE_H

#include "reporter/facts/quantity.h"

#include <stdint.h>

/* A count of one event. */
struct ep_report_value {
	/* Its error has two parts: estimates for slices that did not measure the event, and, in
	 * procedures, lines and modules, that samples are a draw. Without a measured slice it is
	 * unknown. */
	struct ep_quantity count;
	struct ep_quantity estimate_error; /* the first part of count's error */
	bool is_estimate;                  /* a part of it was not measured */
	bool is_partial;                   /* without what lost samples counted */
	double measured_share;             /* of the CPU time behind it */
	/* The standard error of a place's count from slices that it shares with other places and
	 * from few ticks of the event; replicas' changes do not tell this part of error. */
	double placing_error;
	uint64_t n_ticks; /* of the event, that ended here; 0 where has_ticks is false */
	bool has_ticks;   /* the event's own ticks say what is the place's */
	/* Too much of that to say anything: the count may be all from low to high. */
	bool is_mixed;
	double low, high;
	/* (EP_N_REPLICAS) how replicas of the estimates change count; NULL: there are none. The
	 * trace's or the row's */
	const float *changes;
};

/* A count that was measured all the time; error: standard error, 0 but where parts of it are bounds. */
static inline struct ep_report_value ep_value_exact(double count, double error)
{
	return (struct ep_report_value){ .count = ep_quantity_within(count, error),
		.estimate_error = ep_quantity_exact(error),
		.measured_share = 1 };
}

/* Adds more to sum, which is known as little as the least known of its parts. Shares of the time, ticks and
 * changes are the caller's to add. */
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
