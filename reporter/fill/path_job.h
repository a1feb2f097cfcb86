/* SPDX-License-Identifier: BSD-3-Clause */
/* A stretch while `path` fills it (fill_path.c): what its slices are, and its pools one by one. */
#ifndef EVPROF_REPORTER_FILL_PATH_JOB_H
#define EVPROF_REPORTER_FILL_PATH_JOB_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "reporter/fill/learnt.h"
#include "reporter/fill/slice_order.h"
#include "reporter/load/load.h"

/* Levels of pools: of a place, of a call site, of all slices. */
enum { EP_PATH_N_LEVELS = 3 };

/* A slice tells all of one that is so many times as long, and less of a longer one. */
#define EP_PATH_FAR_SHORTER 4

/* The part that a slice plays for an event. A sample is closed when its leaving out is accounted for. */
enum ep_path_kind {
	EP_PATH_CLOSED,
	EP_PATH_GAP,
	EP_PATH_FAR_GAP, /* in a time without any sample of the event */
	EP_PATH_SAMPLE,
	EP_PATH_CLOSED_SAMPLE,
};

/* A slice that measured the event. */
struct ep_path_sample {
	double rate;  /* per unit of the clock */
	double reach; /* the longest slice that this one tells all of */
	uint32_t slice;
};

/* The samples and gaps of one event. */
struct ep_path_event {
	uint32_t idx;
	double totals[EP_N_REPLICAS];
	double mean_rate;   /* of all slices that measured it; NaN: none did */
	double least_error; /* of a rate: about one count in all that was measured */
	double holdout_sum, holdout_clock;
	uint32_t holdout_step; /* one slice of so many is hidden */
	uint32_t n_open;       /* slices in pools that measured too little to fill their own gaps */
	uint32_t n_known;      /* pools filled from the history */
};

/* One stretch. */
struct ep_path_job {
	struct ep_learnt *learnt; /* of the process */
	struct ep_stretch *stretch;
	unsigned char *always;        /* (E) */
	int clock_event;              /* -1: CPU time */
	struct ep_path_event *events; /* (n_events) */
	uint32_t n_events;
	bool uses_history;                               /* the clock is the history's */
	double *clock;                                   /* (T) */
	struct ep_keyed_slice *orders[EP_PATH_N_LEVELS]; /* (T) key by key, then by time */
	uint8_t *blocks; /* (T) the replica that leaves the slice out */
	uint32_t n_places;
	uint8_t *kinds;                 /* (T, E) enum ep_path_kind */
	struct ep_path_event *event;    /* at hand */
	struct ep_path_sample *samples; /* of the pool at hand */
};

/* Slices of one key, and those of them that measured the event. */
struct ep_path_pool {
	const struct ep_keyed_slice *slices; /* (n_slices) */
	uint32_t n_slices, n;
	int level;
	double scale; /* of changes: what was measured is no estimate, few samples tell little */
	double least; /* error of the rate where all samples agree, and no replica differs; else 0 */
};

static inline size_t ep_path_cell_of(const struct ep_path_job *job, uint32_t slice)
{
	return (size_t)slice * job->stretch->n_events + job->event->idx;
}

/* A slice that is filled, or left out as a test. */
struct ep_path_slice {
	uint32_t idx;
	double clock;
	size_t at; /* its cell */
};

static inline bool ep_path_is_gap(const struct ep_path_job *job, size_t at)
{
	return job->kinds[at] == EP_PATH_GAP || job->kinds[at] == EP_PATH_FAR_GAP;
}

/* One count more in all that was measured is always possible: the rule of three says that what n
 * slices did not show is in up to 3 / n of all, which are 1.96 standard errors. */
#define EP_PATH_LEAST_COUNTS 1.5

/* Standard error of what another place's rate says of one that was hardly measured, and another
 * time's of one that was not, relative to it or, if that is more, to the mean of all. */
#define EP_PATH_UNSEEN_ERROR 0.5

static inline struct ep_path_slice ep_path_slice_of(const struct ep_path_job *job, uint32_t idx)
{
	return (struct ep_path_slice){ idx, job->clock[idx], ep_path_cell_of(job, idx) };
}

/* How much the rate of a slice that measured something says of another: all, but of one that is far
 * shorter, as the moment of a thread's end that cuts its last one short. */
static inline double ep_path_trust(double reach, double clock)
{
	return reach < clock ? reach / clock : 1; /* hardly ever a division */
}

static inline bool ep_path_is_turn(const struct ep_stretch *stretch, uint32_t slice)
{
	return slice && stretch->sites[slice] != stretch->sites[slice - 1];
}

/* Tells whether the event has open pools and a rate that fills them. */
static inline bool ep_path_has_open_pools(const struct ep_path_event *event)
{
	return event->n_open && !isnan(event->mean_rate);
}

/* Prepares a job whose learnt and stretch are set. False: no memory; it is finished all the same. */
bool ep_path_job_prepare(struct ep_path_job *job);
void ep_path_job_finish(struct ep_path_job *job);

/* The events with gaps in one pool (path_pool.c). */
void ep_path_pool_fill(struct ep_path_job *job, struct ep_path_pool *pool);

#endif
