/* SPDX-License-Identifier: BSD-3-Clause */
/* A stretch while `path` fills it (fill_path.c): the kinds of its slices, and one pool after the other. */
#ifndef EVPROF_REPORTER_FILL_PATH_JOB_H
#define EVPROF_REPORTER_FILL_PATH_JOB_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "reporter/fill/learnt.h"
#include "reporter/fill/slice_order.h"
#include "reporter/load/load.h"

/* The levels of pools: the slices of a place, of a call site, and all slices. */
enum { EP_PATH_N_LEVELS = 3 };

/* A slice's rate holds fully for slices that are at most this many times as long, and less for longer
 * ones. */
#define EP_PATH_FAR_SHORTER 4

/* The kind of a slice for an event. A sample becomes closed when the error of leaving it out is accounted
 * for, and a gap when it is filled. */
enum ep_path_kind {
	EP_PATH_CLOSED,
	EP_PATH_GAP,
	EP_PATH_FAR_GAP, /* a gap in a long time without any sample of the event */
	EP_PATH_SAMPLE,
	EP_PATH_CLOSED_SAMPLE,
};

/* A slice that measured the event. */
struct ep_path_sample {
	double rate;  /* counts per unit of the clock */
	double reach; /* the longest slice for which this rate holds fully, in units of the clock */
	uint32_t slice;
};

/* The state of one event in the stretch. */
struct ep_path_event {
	uint32_t idx;
	double totals[EP_N_REPLICAS];
	double mean_rate; /* mean over all slices that measured the event; NaN: none did */
	/* least error of a rate: that of about one count in all measured slices */
	double least_error;
	double holdout_sum, holdout_clock;
	uint32_t holdout_step; /* one slice of this many is hidden for the hold-out */
	/* slices in pools that measured too little to fill their own gaps */
	uint32_t n_open;
	uint32_t n_known; /* number of pools that were filled from the history */
};

/* The filling of one stretch, which has T slices and E events. */
struct ep_path_job {
	struct ep_learnt *learnt; /* the history of the process */
	struct ep_stretch *stretch;
	unsigned char *always;        /* (E) whether all slices measured the event */
	int clock_event;              /* index of the event that is the clock; -1: CPU time */
	struct ep_path_event *events; /* (n_events) the events with gaps */
	uint32_t n_events;
	/* the clock is that of the history, so that the history's rates can be used */
	bool uses_history;
	/* (T) count of the clock in each slice */
	double *clock;
	/* (T) slices by key, then by time; NULL: not made yet */
	struct ep_keyed_slice *orders[EP_PATH_N_LEVELS];
	uint8_t *blocks; /* (T) the replica that leaves the slice out */
	uint32_t n_places;
	uint8_t *kinds;                 /* (T, E) the kind of each cell, enum ep_path_kind */
	struct ep_path_event *event;    /* the event being filled */
	struct ep_path_sample *samples; /* the samples of the pool being filled */
};

/* The slices with one key. n of them measured the event. */
struct ep_path_pool {
	const struct ep_keyed_slice *slices; /* (n_slices) slices of the pool */
	uint32_t n_slices, n;
	int level;
	/* factor of changes: smaller if more of the slices are measured, since these have no error; larger if
	 * there are few samples */
	double scale;
	/* error of the rate if all samples are equal, so that no replica differs; else 0 */
	double least;
};

static inline size_t ep_path_cell_of(const struct ep_path_job *job, uint32_t slice)
{
	return (size_t)slice * job->stretch->n_events + job->event->idx;
}

/* A slice that is filled, or left out for a test. */
struct ep_path_slice {
	uint32_t idx;
	double clock;
	size_t at; /* the slice's cell in (T, E) */
};

static inline bool ep_path_is_gap(const struct ep_path_job *job, size_t at)
{
	return job->kinds[at] == EP_PATH_GAP || job->kinds[at] == EP_PATH_FAR_GAP;
}

/* The error of a rate is at least so many counts in everything measured. By the rule of three, if n slices
 * have no count of an event, up to 3 / n of all slices may have one; this is 1.96 standard errors. */
#define EP_PATH_LEAST_COUNTS 1.5

/* The standard error of a rate that comes from another place, or from a time far away, relative to that rate
 * or to the mean rate, whichever is larger. */
#define EP_PATH_UNSEEN_ERROR 0.5

static inline struct ep_path_slice ep_path_slice_of(const struct ep_path_job *job, uint32_t idx)
{
	return (struct ep_path_slice){ idx, job->clock[idx], ep_path_cell_of(job, idx) };
}

/* Returns how far the rate of a measured slice holds for another slice: 1, or less if the measured slice is
 * far shorter, as the last slice of a thread may be. */
static inline double ep_path_trust(double reach, double clock)
{
	return reach < clock ? reach / clock : 1; /* a division is rarely needed */
}

static inline bool ep_path_is_turn(const struct ep_stretch *stretch, uint32_t slice)
{
	return slice && stretch->sites[slice] != stretch->sites[slice - 1];
}

/* Tells whether the event has pools that are not filled yet, and a mean rate, without which wider pools
 * cannot fill them. */
static inline bool ep_path_has_open_pools(const struct ep_path_event *event)
{
	return event->n_open && !isnan(event->mean_rate);
}

/* Prepares a job whose members learnt and stretch are set. False: out of memory; ep_path_job_finish must be
 * called nevertheless. */
bool ep_path_job_prepare(struct ep_path_job *job);
void ep_path_job_finish(struct ep_path_job *job);

/* Fills the gaps of all events in one pool (path_pool.c). */
void ep_path_pool_fill(struct ep_path_job *job, struct ep_path_pool *pool);

#endif
