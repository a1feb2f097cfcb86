/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of counts by event: counts that slices measured, counts that were filled, and ticks by events. */
#ifndef EVPROF_REPORTER_LOAD_SUMS_H
#define EVPROF_REPORTER_LOAD_SUMS_H

#include "common/error.h"
#include "reporter/load/fill.h"

/* The kinds of places that a slice is counted for; the place is where the slice ends. */
enum ep_place_kind {
	EP_PLACE_PROCEDURE,
	EP_PLACE_LINE,
	EP_PLACE_MODULE,
	EP_PLACE_LOOP, /* loops, which are named only if they are asked for */
	EP_N_PLACE_KINDS,
};

/* How many slices of a place may hold counts of other places (n_mixed), and how many slices of other places
 * may hold counts of this place (n_away); see load/mixing.h. */
struct ep_mixing {
	double n_mixed, n_away;
};

/* Counts of one event: measured in slices that counted it, filled by the estimator in other slices (and,
 * where another user had the counters for a part of a slice, for that part). In missing_us of CPU time the
 * estimator had nothing to estimate the count from. */
struct ep_event_sum {
	double measured;
	double filled;
	double variance; /* variance of the filled counts; NaN: not known */
	/* sum of the squared counts of slices: it tells how much a sum varies by chance */
	double squares;
	/* the part of the counts that may belong to another place of each kind */
	double mixed[EP_N_PLACE_KINDS];
	uint64_t measured_us, filled_us, missing_us;
};

struct ep_sums {
	/* (n_rows) by event; events with larger indexes have sums of 0 */
	struct ep_event_sum *rows;
	uint32_t n_rows;
	float *replicas; /* (n_rows, EP_N_REPLICAS) changes of the sums; NULL: there are none */
};

/* A sum over windows, and the part of it that each replica leaves out. */
struct ep_window_sum {
	double all;
	float by_replica[EP_N_REPLICAS];
};

/* Sums over windows with ticks, which show whether a few windows have most of the ticks. For each window, s
 * is the sum of its ticks' squared weights, n the sum of their weights. A window is parted if it ended in
 * another procedure than it began in. */
struct ep_window_sizes {
	double of_ticks;               /* sum of s^2 */
	double both, squares, fourths; /* sums of s n^2, n^2 and n^4 over parted windows */
};

/* Ticks by the overflow of one event that ended in a place (load/event_ticks.h). A weight is an estimate of
 * how many occurrences a tick stands for. A second estimate of where the event happened comes from each
 * window: half of its count in the place where the window began, half where it ended. foretold sums this
 * estimate over all windows; of_ticks sums it over the windows with ticks, by the ticks' weights. The
 * difference of the two sums shows the chance error of the ticks. */
struct ep_tick_sum {
	uint64_t n_ticks;
	double squares;           /* sum of the squared weights */
	struct ep_window_sum met; /* sum of the weights of the ticks */
	/* sum of the second estimate, over all windows that measured the event */
	struct ep_window_sum foretold;
	/* sum of the second estimate over the windows with ticks, by the ticks' weights */
	struct ep_window_sum of_ticks;
	/* twice the part of foretold that comes from windows whose other end is in another place of the kind:
	 * such a window counts as a whole for both places */
	double parted[EP_N_PLACE_KINDS];
	/* sizes of windows that began in the place and have ticks */
	struct ep_window_sizes sizes;
};

/* Sums of ticks, (n_rows) by event; events with larger indexes had no ticks. */
struct ep_tick_sums {
	struct ep_tick_sum *rows;
	uint32_t n_rows;
};

static inline void ep_event_sum_add(struct ep_event_sum *sum, const struct ep_event_sum *more)
{
	sum->measured += more->measured;
	sum->filled += more->filled;
	sum->variance += more->variance;
	sum->squares += more->squares;
	for (int k = 0; k < EP_N_PLACE_KINDS; k++)
		sum->mixed[k] += more->mixed[k];
	sum->measured_us += more->measured_us;
	sum->filled_us += more->filled_us;
	sum->missing_us += more->missing_us;
}

/* Makes room for at least n_events rows; new rows are zero. 0 or -ENOMEM. */
int ep_sums_reserve(struct ep_sums *sums, uint32_t n_events) EP_MUST_CHECK;
/* Makes room for the changes of all rows; new ones are zero. 0 or -ENOMEM. */
int ep_sums_reserve_replicas(struct ep_sums *sums) EP_MUST_CHECK;
/* Adds rows and changes, and makes room for them. 0 or -ENOMEM. */
int ep_sums_add(struct ep_sums *sums, const struct ep_sums *more) EP_MUST_CHECK;
void ep_sums_finish(struct ep_sums *sums);
/* Do for ticks what ep_sums_reserve and ep_sums_add do for counts. */
int ep_tick_sums_reserve(struct ep_tick_sums *sums, uint32_t n_events) EP_MUST_CHECK;
int ep_tick_sums_add(struct ep_tick_sums *sums, const struct ep_tick_sums *more) EP_MUST_CHECK;
/* Returns the variance of an estimate, computed from its changes in EP_N_REPLICAS replicas. */
double ep_replica_variance(const float *changes);

#endif
