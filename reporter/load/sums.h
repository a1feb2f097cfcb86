/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of counts by event: what slices measured, what was filled, what ticks by events met. */
#ifndef EVPROF_REPORTER_LOAD_SUMS_H
#define EVPROF_REPORTER_LOAD_SUMS_H

#include "common/error.h"
#include "reporter/load/fill.h"

/* The places that a slice may be counted for, at its end. */
enum ep_place_kind {
	EP_PLACE_PROCEDURE,
	EP_PLACE_LINE,
	EP_PLACE_MODULE,
	EP_PLACE_LOOP, /* named where it is asked for */
	EP_N_PLACE_KINDS,
};

/* Slices of a place that other places may have a share of (load/mixing.h): how many, and how many
 * slices of other places may be this one's. */
struct ep_mixing {
	double n_mixed, n_away;
};

/* Counts of one event: measured in slices that counted it, filled by the estimator for the others;
 * missing where it had nothing to go by (missing_us of CPU time). */
struct ep_event_sum {
	double measured;
	double filled;
	double variance; /* of what was filled; NaN: not known */
	double squares;  /* sum of the slices' counts squared: how far chance moves a sum of some */
	double mixed[EP_N_PLACE_KINDS]; /* of the counts: those that may be another place's */
	uint64_t measured_us, filled_us, missing_us;
};

struct ep_sums {
	struct ep_event_sum *rows; /* (n_rows) by event; events beyond are zero */
	uint32_t n_rows;
	float *replicas; /* (n_rows, EP_N_REPLICAS) changes; NULL: there are none */
};

/* A sum over windows, and the part of it that each replica leaves out. */
struct ep_window_sum {
	double all;
	float by_replica[EP_N_REPLICAS];
};

/* How few windows may have most of the ticks: s is the sum of the squared weights of a window's ticks, n
 * the sum of the weights. The sums of windows that end in another procedure than they began in are apart. */
struct ep_window_sizes {
	double of_ticks;               /* s^2 */
	double both, squares, fourths; /* s n^2, n^2, n^4 of parted windows */
};

/* Ticks by the overflow of one event that ended in a place (load/event_ticks.h). A weight is an estimate
 * of how many occurrences a tick stands for. A window gives a second estimate: half of its count happened
 * where it began, half where it ended. This estimate is summed over all windows and, by the ticks' weights,
 * over the windows in which a tick fell; the difference of the two sums tells how far the ticks are off. */
struct ep_tick_sum {
	uint64_t n_ticks;
	double squares;                /* of weights */
	struct ep_window_sum met;      /* weights of the ticks */
	struct ep_window_sum foretold; /* counts of all windows that measured the event */
	struct ep_window_sum of_ticks; /* the same estimate by the weights of all ticks */
	/* the part of foretold from windows that have their other end in another place of the kind, twice:
	 * such a window counts as a whole for either place */
	double parted[EP_N_PLACE_KINDS];
	struct ep_window_sizes sizes; /* of windows that began in the place and have ticks */
};

/* (n_rows) by event; events beyond had no ticks. */
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

/* At least n_events rows, the new ones zero. 0 or -ENOMEM. */
int ep_sums_reserve(struct ep_sums *sums, uint32_t n_events) EP_MUST_CHECK;
/* Room for changes of all rows, zero where new. 0 or -ENOMEM. */
int ep_sums_reserve_replicas(struct ep_sums *sums) EP_MUST_CHECK;
/* Adds rows and changes, with the room that they need. 0 or -ENOMEM. */
int ep_sums_add(struct ep_sums *sums, const struct ep_sums *more) EP_MUST_CHECK;
void ep_sums_finish(struct ep_sums *sums);
/* Do for ticks what ep_sums_reserve and ep_sums_add do for counts. */
int ep_tick_sums_reserve(struct ep_tick_sums *sums, uint32_t n_events) EP_MUST_CHECK;
int ep_tick_sums_add(struct ep_tick_sums *sums, const struct ep_tick_sums *more) EP_MUST_CHECK;
/* Returns the variance that EP_N_REPLICAS changes of one estimate tell. */
double ep_replica_variance(const float *changes);

#endif
