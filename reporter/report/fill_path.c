// SPDX-License-Identifier: BSD-3-Clause
/*
 * `path`: what a slice did not measure was as in the slices that ended in the same place of the
 * program, in time next to it. Programs do different things in different places; an estimator that
 * sees only when a slice was mixes what their procedures do.
 *
 * A place is a call site with a piece of code below it, or, of slices that began elsewhere, both
 * call sites; places that hardly measured the event are filled from their call site's, at last from
 * all slices', and those that began elsewhere from the slices before and after. Within a pool the
 * rate runs straight from one measured slice to the next.
 *
 * How good the estimates are follows from leaving measured slices out, one in each of
 * EP_N_REPLICAS turns (delete-a-group jackknife). A slice goes with all that it measured: what the
 * counters counted together stays together, so that errors of differences and ratios are theirs.
 */
#include "reporter/report/fill_path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/load/load.h"
#include "reporter/report/fill_fit.h"
#include "reporter/report/learnt.h"
#include "reporter/report/slice_order.h"

#define SLICES_AT_ONCE 4096
#define MOST_AT_ONCE 16384

enum { N_LEVELS = 3 };
static const uint32_t least_measured[N_LEVELS] = { 3, 3, 1 };

#define FAR_SHORTER 4

/* Standard error of what another place's rate says of one that was hardly measured, relative to it
 * or, if that is more, to the mean of all. */
#define UNSEEN_ERROR 0.5

/* What a slice is to the event at hand. A sample is closed when its leaving out is accounted for.
 */
enum kind {
	KIND_CLOSED,
	KIND_GAP,
	KIND_SAMPLE,
	KIND_CLOSED_SAMPLE,
};

/* A slice that measured the event. */
struct sample {
	double rate;  /* per unit of the clock */
	double reach; /* the longest slice that this one tells all of */
	uint32_t slice;
};

/* What comes together of an event that has gaps. */
struct event {
	uint32_t idx;
	double totals[EP_N_REPLICAS];
	double mean_rate; /* of all slices that measured it; NaN: none did */
	double holdout_sum, holdout_clock;
	uint32_t holdout_step; /* one slice of so many is hidden */
	uint32_t n_open;  /* slices of pools that measured too little */
	uint32_t n_known; /* pools filled from the history */
};

/* One stretch. */
struct job {
	struct ep_learnt *learnt; /* of the process */
	struct ep_stretch *stretch;
	unsigned char *always; /* (E) */
	int clock_event;       /* -1: CPU time */
	struct event *events;  /* (n_events) */
	uint32_t n_events;
	bool uses_history;                       /* the clock is the history's */
	double *clock;                           /* (T) */
	struct ep_keyed_slice *orders[N_LEVELS]; /* (T) key by key, then by time */
	uint8_t *blocks;                         /* (T) the replica that leaves the slice out */
	uint32_t n_places;
	uint8_t *kinds;         /* (T, E) enum kind */
	struct event *event;    /* at hand */
	struct sample *samples; /* of the pool at hand */
};

static void finish_job(struct job *job)
{
	for (int level = 0; level < N_LEVELS; level++)
		free(job->orders[level]);
	free(job->always);
	free(job->events);
	free(job->clock);
	free(job->blocks);
	free(job->samples);
	free(job->kinds);
}

/* ---- what does not depend on the event ---- */

/* In turn within a place, so that each replica leaves out a part of every place. */
static void find_blocks(struct job *job)
{
	const struct ep_keyed_slice *order = job->orders[0];

	for (uint32_t i = 0, rank = 0; i < job->stretch->n_slices; i++) {
		rank = rank + 1 < EP_N_REPLICAS ? rank + 1 : 0;
		if (!i || order[i].key != order[i - 1].key) {
			rank = (uint32_t)(order[i].key % EP_N_REPLICAS);
			job->n_places++;
		}
		job->blocks[order[i].slice] = (uint8_t)rank;
	}
}

/* Another count ran in the slice. */
static bool has_work(const struct ep_stretch *stretch, const unsigned char *always, uint32_t slice)
{
	for (uint32_t e = 0; e < stretch->n_events; e++)
		if (always[e] && stretch->values[(size_t)slice * stretch->n_events + e] > 0)
			return true;
	return false;
}

/* (T) Where cycles stood still while other counts ran, as some emulated PMUs do in some groups, CPU
 * time at the cycles' mean rate. */
static void read_cycles(const struct ep_stretch *stretch, const unsigned char *always,
	uint32_t cycles, double *clock)
{
	double sum = 0, cpu_us = 0;

	for (uint32_t i = 0; i < stretch->n_slices; i++) {
		clock[i] = stretch->values[(size_t)i * stretch->n_events + cycles];
		sum += clock[i];
		cpu_us += clock[i] > 0 ? stretch->cpu_us[i] : 0;
	}
	for (uint32_t i = 0; i < stretch->n_slices; i++)
		if (!(clock[i] > 0) && cpu_us > 0 && has_work(stretch, always, i))
			clock[i] = stretch->cpu_us[i] * sum / cpu_us;
}

/* (T) Cycles where they were counted throughout, else CPU time. */
static void set_clock(struct job *job)
{
	const struct ep_stretch *stretch = job->stretch;

	job->clock_event = ep_stretch_find_clock(stretch, job->learnt->events, job->always);
	if (job->clock_event < 0)
		memcpy(job->clock, stretch->cpu_us, stretch->n_slices * sizeof(*job->clock));
	else
		read_cycles(stretch, job->always, (uint32_t)job->clock_event, job->clock);
}

/* Half of it and up to it tell how far a stretch's estimates of an event are off. */
#define ENOUGH_HOLDOUTS 512

/* The slices' kinds. */
static struct event read_event(struct job *job, uint32_t e)
{
	const struct ep_stretch *stretch = job->stretch;
	uint32_t n_holdouts = 0;
	double count = 0, time = 0;

	for (uint32_t i = 0; i < stretch->n_slices; i++) {
		size_t at = (size_t)i * stretch->n_events + e;
		bool is_gap = stretch->state[at] == EP_VALUE_MISSING;

		job->kinds[at] = is_gap ? KIND_GAP : KIND_CLOSED;
		if (stretch->state[at] != EP_VALUE_MEASURED)
			continue;
		count += stretch->values[at];
		time += job->clock[i];
		if (!(job->clock[i] > 0))
			continue;
		job->kinds[at] = KIND_SAMPLE;
		n_holdouts += stretch->values[at] > 0;
	}
	return (struct event){ .idx = e,
		.mean_rate = time > 0 ? count / time : NAN,
		.holdout_step = 1 + n_holdouts / (ENOUGH_HOLDOUTS + 1) };
}

/* That not all slices measured; where none did the history may know. */
static void find_events(struct job *job)
{
	for (uint32_t e = 0; e < job->stretch->n_events; e++)
		if (!job->always[e])
			job->events[job->n_events++] = read_event(job, e);
}

static bool prepare(struct job *job)
{
	const struct ep_stretch *stretch = job->stretch;
	size_t n = stretch->n_slices;

	job->orders[0] = ep_slices_by_key(stretch->places, stretch->n_slices);
	job->always = malloc(stretch->n_events + 1);
	job->events = calloc(stretch->n_events + 1, sizeof(*job->events));
	job->clock = malloc((n + 1) * sizeof(*job->clock));
	job->blocks = malloc(n + 1);
	job->samples = malloc((n + 1) * sizeof(*job->samples));
	job->kinds = malloc(n * stretch->n_events + 1);
	if (!job->orders[0] || !job->always || !job->events || !job->clock || !job->blocks ||
		!job->samples || !job->kinds)
		return false;
	set_clock(job);
	find_blocks(job);
	find_events(job);
	return true;
}

/* ---- one event in one pool ---- */

/* Slices of one key, and those of them that measured the event. */
struct pool {
	const struct ep_keyed_slice *slices; /* (n_slices) */
	uint32_t n_slices, n;
	int level;
	double scale; /* of changes: what was measured is no estimate, and few samples tell little
		       */
};

static size_t cell_of(const struct job *job, uint32_t slice)
{
	return (size_t)slice * job->stretch->n_events + job->event->idx;
}

/* What is filled or left out. */
struct slice {
	uint32_t idx;
	double clock;
	size_t at; /* its cell */
};

static struct slice slice_of(const struct job *job, uint32_t idx)
{
	return (struct slice){ idx, job->clock[idx], cell_of(job, idx) };
}

/* How much the rate of a slice that measured something says of another: all, but of one that is far
 * shorter, as the moment of a thread's end that cuts its last one short. */
static double trust(double reach, double clock)
{
	return reach < clock ? reach / clock : 1; /* hardly ever a division */
}

static inline __attribute__((always_inline)) double rate_between(const struct job *job,
	const struct pool *pool, int64_t left, int64_t right, const struct slice *slice)
{
	if (left < 0 && right >= pool->n)
		return 0;
	if (left < 0)
		return job->samples[right].rate;
	if (right >= pool->n)
		return job->samples[left].rate;
	const struct sample *from = &job->samples[left], *to = &job->samples[right];
	double before = (to->slice - slice->idx) * trust(from->reach, slice->clock);
	double after = (slice->idx - from->slice) * trust(to->reach, slice->clock);
	double u = after / (before + after);

	return from->rate + u * (to->rate - from->rate);
}

static void put_change(
	struct job *job, struct ep_value_change *change, int slot, uint8_t replica, double by)
{
	change->by[slot] = (float)by;
	change->replica[slot] = replica;
	job->event->totals[replica] += by;
}

/* Of a slice that measured nothing, between the samples left and left + 1. */
static void fill_slice(
	struct job *job, const struct pool *pool, const struct slice *slice, int64_t left)
{
	struct ep_stretch *stretch = job->stretch;
	struct ep_value_change *change = &stretch->changes[slice->at];
	double scale = pool->scale, clock = slice->clock;
	double rate = rate_between(job, pool, left, left + 1, slice);
	/* before anything is stored, so that what they share is worked out once */
	double without_left = clock * (rate_between(job, pool, left - 1, left + 1, slice) - rate);
	double without_right = clock * (rate_between(job, pool, left, left + 2, slice) - rate);

	stretch->values[slice->at] = rate * clock;
	stretch->state[slice->at] = EP_VALUE_FILLED;
	job->kinds[slice->at] = KIND_CLOSED;
	if (left >= 0)
		put_change(job, change, 0, job->blocks[job->samples[left].slice],
			without_left * scale);
	if (left + 1 < pool->n)
		put_change(job, change, 1, job->blocks[job->samples[left + 1].slice],
			without_right * scale);
	if (!pool->level || job->n_places < 2)
		return;
	put_change(job, change, 2, (uint8_t)(stretch->places[slice->idx] % EP_N_REPLICAS),
		UNSEEN_ERROR * clock * fmax(rate, job->event->mean_rate));
}

/* Of thousands of slices some, by chance: a program may do the same every other time. */
static bool is_hidden(const struct job *job, uint32_t slice)
{
	uint32_t step = job->event->holdout_step;

	return step == 1 || (ep_hash_mix(job->stretch->seed, slice) >> 32) * step >> 32 == 0;
}

/* Errors above 100 % by their logarithm, and a slice by its time, as everywhere. */
static void note_holdout(
	const struct job *job, const struct slice *slice, double count, double estimate)
{
	struct event *event = job->event;
	double error;

	if (!(count > 0) || !is_hidden(job, slice->idx))
		return;
	error = fabs(estimate - count) / count;
	event->holdout_sum += slice->clock * (error > 1 ? 1 + log(error) : error);
	event->holdout_clock += slice->clock;
}

/* Of a slice that measured, sample k: what would be put there without it. */
static void leave_out(
	struct job *job, const struct pool *pool, const struct slice *slice, int64_t k)
{
	double count = job->stretch->values[slice->at];
	double estimate = slice->clock * rate_between(job, pool, k - 1, k + 1, slice);

	if (job->kinds[slice->at] == KIND_CLOSED_SAMPLE)
		return;
	job->kinds[slice->at] = KIND_CLOSED_SAMPLE;
	put_change(job, &job->stretch->changes[slice->at], 0, job->blocks[slice->idx],
		(estimate - count) * pool->scale);
	if (pool->n > 1)
		note_holdout(job, slice, count, estimate);
}

/* Student's t over the normal's 1.96, of n - 1 degrees of freedom; two samples' 6.5 is cut, since
 * their sums would drown everything. */
static double small_sample_factor(uint32_t n)
{
	static const double factors[] = { 1, 1, 3, 2.2, 1.62, 1.42, 1.31, 1.25, 1.21, 1.18, 1.15 };

	return n < EP_ARRAY_SIZE(factors) ? factors[n] : 1 + 1.22 / (n - 1);
}

static void find_samples(struct job *job, struct pool *pool)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < pool->n_slices; i++) {
		struct slice slice = slice_of(job, pool->slices[i].slice);

		/* behind the last, too: what follows overwrites it */
		job->samples[n] = (struct sample){ job->stretch->values[slice.at] / slice.clock,
			FAR_SHORTER * slice.clock, slice.idx };
		n += job->kinds[slice.at] >= KIND_SAMPLE;
	}
	pool->n = n;
	pool->scale = sqrt(1 - (double)n / pool->n_slices) * small_sample_factor(n);
}

static bool is_turn(const struct ep_stretch *stretch, uint32_t slice)
{
	return slice && stretch->sites[slice] != stretch->sites[slice - 1];
}

static bool is_gap(const struct job *job, const struct pool *pool, const struct slice *slice)
{
	return job->kinds[slice->at] == KIND_GAP &&
	       (!pool->level || !is_turn(job->stretch, slice->idx));
}

static bool has_open(const struct job *job, const struct pool *pool)
{
	for (uint32_t i = 0; i < pool->n_slices; i++) {
		struct slice slice = slice_of(job, pool->slices[i].slice);

		if (job->kinds[slice.at] == KIND_SAMPLE || is_gap(job, pool, &slice))
			return true;
	}
	return false;
}

/* ---- places that the stretch hardly measured ---- */

/* NULL: it is not known so well that the pool can be filled from it. */
static const struct ep_place_sums *known_of(const struct job *job, const struct pool *pool)
{
	const struct ep_place_sums *sums = NULL;

	if (job->uses_history && !pool->level)
		sums = ep_learnt_find(job->learnt, pool->slices[0].key, job->event->idx);
	return sums && sums->n >= least_measured[0] ? sums : NULL;
}

/* The mean rate is the same for all slices of the place, and so is its error; how far each is from
 * the mean is its own, with a sign and in a replica by chance. */
static void fill_gap_from_history(struct job *job, const struct slice *slice,
	const struct ep_place_rate *rate, double mean_error)
{
	struct ep_stretch *stretch = job->stretch;
	struct ep_value_change *change = &stretch->changes[slice->at];
	uint64_t chance = ep_hash_mix(stretch->seed, slice->at);
	double scatter = slice->clock * rate->scatter;

	stretch->values[slice->at] = slice->clock * rate->mean;
	stretch->state[slice->at] = EP_VALUE_FILLED;
	job->kinds[slice->at] = KIND_CLOSED;
	put_change(job, change, 0, (uint8_t)((chance >> 32) % EP_N_REPLICAS),
		chance >> 63 ? scatter : -scatter);
	put_change(job, change, 1, (uint8_t)(stretch->places[slice->idx] % EP_N_REPLICAS),
		slice->clock * mean_error);
}

static void leave_out_of_history(
	struct job *job, const struct slice *slice, const struct ep_place_sums *sums)
{
	double count = job->stretch->values[slice->at], clock = sums->clock - slice->clock;

	job->kinds[slice->at] = KIND_CLOSED_SAMPLE;
	if (clock > 0 && ep_learnt_clock_of(job->learnt, job->stretch, slice->idx) > 0)
		note_holdout(job, slice, count, slice->clock * (sums->count - count) / clock);
}

/* From what other stretches and threads measured in the place. */
static void fill_from_history(
	struct job *job, const struct pool *pool, const struct ep_place_sums *sums)
{
	struct ep_place_rate rate = ep_place_rate_of(sums);
	double mean_error = rate.scatter / sqrt(sums->n) * small_sample_factor(sums->n);

	job->event->n_known++;
	for (uint32_t i = 0; i < pool->n_slices; i++) {
		struct slice slice = slice_of(job, pool->slices[i].slice);

		if (job->kinds[slice.at] >= KIND_SAMPLE)
			leave_out_of_history(job, &slice, sums);
		else if (is_gap(job, pool, &slice))
			fill_gap_from_history(job, &slice, &rate, mean_error);
	}
}

static void fill_pool(struct job *job, struct pool *pool)
{
	const struct ep_place_sums *sums;
	int64_t left = -1;

	if (pool->level && !has_open(job, pool))
		return;
	find_samples(job, pool);
	if (pool->n < least_measured[pool->level]) {
		sums = known_of(job, pool);
		if (sums)
			fill_from_history(job, pool, sums);
		else
			job->event->n_open += pool->n_slices;
		return;
	}
	for (uint32_t i = 0; i < pool->n_slices; i++) {
		struct slice slice = slice_of(job, pool->slices[i].slice);

		if (job->kinds[slice.at] >= KIND_SAMPLE)
			leave_out(job, pool, &slice, ++left);
		else if (is_gap(job, pool, &slice))
			fill_slice(job, pool, &slice, left);
	}
}

/* And somebody measured it. */
static bool has_open_pools(const struct event *event)
{
	return event->n_open && !isnan(event->mean_rate);
}

/* One event after the other while the pool's slices are in the cache. The wider pools are for those
 * that places measured too little. */
static void fill_pool_of_events(struct job *job, struct pool *pool)
{
	for (uint32_t k = 0; k < job->n_events; k++) {
		job->event = &job->events[k];
		if (!pool->level || has_open_pools(job->event))
			fill_pool(job, pool);
	}
}

static bool has_open_events(const struct job *job)
{
	for (uint32_t k = 0; k < job->n_events; k++)
		if (has_open_pools(&job->events[k]))
			return true;
	return false;
}

/* The wider pools' are made when a place measured too little. */
static const struct ep_keyed_slice *order_of(struct job *job, int level)
{
	const struct ep_stretch *stretch = job->stretch;

	if (!job->orders[level])
		job->orders[level] = level == 1
					     ? ep_slices_by_key(stretch->sites, stretch->n_slices)
					     : ep_slices_in_time(stretch->n_slices);
	return job->orders[level];
}

static void fill_level(struct job *job, int level)
{
	const struct ep_keyed_slice *order = order_of(job, level);
	uint32_t n = order ? job->stretch->n_slices : 0;

	for (uint32_t from = 0, to; from < n; from = to) {
		struct pool pool = { .slices = order + from, .level = level };

		for (to = from; to < n && order[to].key == order[from].key; to++)
			;
		pool.n_slices = to - from;
		fill_pool_of_events(job, &pool);
	}
}

/* ---- slices that began in another place ---- */

struct neighbour {
	double rate, trust;
};

/* Of one that is not known, the mean of all. */
static struct neighbour neighbour_of(const struct job *job, uint32_t slice, uint32_t of)
{
	bool is_known = slice < job->stretch->n_slices && job->clock[slice] > 0 &&
			job->stretch->state[cell_of(job, slice)] != EP_VALUE_MISSING;

	if (!is_known)
		return (struct neighbour){ job->event->mean_rate, 1 };
	return (struct neighbour){ job->stretch->values[cell_of(job, slice)] / job->clock[slice],
		trust(FAR_SHORTER * job->clock[slice], job->clock[of]) };
}

/* When in the slice the place changed could be any time: as much of the one as of the other, with
 * the standard deviation of a uniform share. */
static void fill_turn(struct job *job, uint32_t slice)
{
	struct ep_stretch *stretch = job->stretch;
	struct ep_value_change *change = &stretch->changes[cell_of(job, slice)];
	struct neighbour before = neighbour_of(job, slice - 1, slice);
	struct neighbour after = neighbour_of(job, slice + 1, slice);
	double u = after.trust / (before.trust + after.trust), turn = after.rate - before.rate;
	double error = job->clock[slice] * turn / sqrt(12);

	stretch->values[cell_of(job, slice)] = job->clock[slice] * (before.rate + u * turn);
	stretch->state[cell_of(job, slice)] = EP_VALUE_FILLED;
	change->by[0] = (float)error;
	change->replica[0] = (uint8_t)(slice % EP_N_REPLICAS);
	job->event->totals[change->replica[0]] += error;
}

static void fill_turns(struct job *job)
{
	for (uint32_t i = 1; i < job->stretch->n_slices; i++) {
		if (!is_turn(job->stretch, i))
			continue;
		for (uint32_t k = 0; k < job->n_events; k++) {
			job->event = &job->events[k];
			if (!isnan(job->event->mean_rate) &&
				job->stretch->state[cell_of(job, i)] == EP_VALUE_MISSING)
				fill_turn(job, i);
		}
	}
}

/* ---- a stretch ---- */

static struct ep_fill_quality quality_of(const struct event *event)
{
	struct ep_fill_quality quality = { .estimator = "path", .holdout_error = NAN };

	for (int j = 0; j < EP_N_REPLICAS; j++)
		quality.variance +=
			event->totals[j] * event->totals[j] * (EP_N_REPLICAS - 1) / EP_N_REPLICAS;
	if (event->holdout_clock > 0)
		quality.holdout_error = event->holdout_sum / event->holdout_clock;
	return quality;
}

/* Without memory the gaps stay: missing, and said so. */
static void fill(void *thread, struct ep_stretch *stretch)
{
	__attribute__((cleanup(finish_job))) struct job job = { thread, .stretch = stretch };

	ep_learnt_add(thread, stretch);
	if (!ep_stretch_has_gap(stretch) || !prepare(&job))
		return;
	job.uses_history = job.clock_event == job.learnt->clock;
	fill_level(&job, 0);
	for (int level = 1; level < N_LEVELS && has_open_events(&job); level++)
		fill_level(&job, level);
	fill_turns(&job);
	for (uint32_t k = 0; k < job.n_events; k++)
		if (job.events[k].n_known || !isnan(job.events[k].mean_rate))
			stretch->quality[job.events[k].idx] = quality_of(&job.events[k]);
	stretch->has_changes = true;
	ep_fill_count_outliers(stretch, job.always, job.clock_event);
}

const struct ep_fill_events *ep_filler_path_events(const void *process)
{
	return ((const struct ep_learnt *)process)->events;
}

static void learn(void *thread, const struct ep_stretch *stretch)
{
	ep_learnt_add(thread, stretch);
}

static void *process_create(struct ep_fill_events *events)
{
	return ep_learnt_create(events);
}

static void process_destroy(void *process)
{
	ep_learnt_destroy(process);
}

const struct ep_filler_ops ep_filler_path = {
	.name = "path",
	.n_slices = SLICES_AT_ONCE,
	.n_slices_most = MOST_AT_ONCE,
	.uses_places = true,
	.process_create = process_create,
	.process_destroy = process_destroy,
	.learn = learn,
	.fill = fill,
};
