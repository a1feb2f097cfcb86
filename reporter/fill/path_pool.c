// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fills the gaps of one event in a pool, the slices of one place or a wider set: the rate is interpolated
 * linearly from one measured slice to the next. The difference to the estimate of a replica is kept as the
 * gap's change.
 */
#include "reporter/fill/path_job.h"

#include <math.h>

#include "common/cleanup.h"

/* The least number of measured slices in a pool of each level for its gaps to be filled from it. */
static const uint32_t least_measured[EP_PATH_N_LEVELS] = { 3, 3, 1 };

/* Returns the rate before the first sample or after the last one: the rate of that sample, or a mixture with
 * the rate of the next sample if the nearest one is brief. */
static double rate_at_end(const struct ep_path_job *job, const struct ep_path_pool *pool,
	int64_t nearest, int64_t next, const struct ep_path_slice *slice)
{
	double rate = job->samples[nearest].rate;
	double trust = ep_path_trust(job->samples[nearest].reach, slice->clock);

	if (trust >= 1 || next < 0 || next >= pool->n)
		return rate;
	return rate + (1 - trust) * (job->samples[next].rate - rate);
}

static inline __attribute__((always_inline)) double rate_between(const struct ep_path_job *job,
	const struct ep_path_pool *pool, int64_t left, int64_t right,
	const struct ep_path_slice *slice)
{
	if (left < 0 && right >= pool->n)
		return 0;
	if (left < 0)
		return rate_at_end(job, pool, right, right + 1, slice);
	if (right >= pool->n)
		return rate_at_end(job, pool, left, left - 1, slice);
	const struct ep_path_sample *from = &job->samples[left], *to = &job->samples[right];
	double before = (to->slice - slice->idx) * ep_path_trust(from->reach, slice->clock);
	double after = (slice->idx - from->slice) * ep_path_trust(to->reach, slice->clock);
	double u = after / (before + after);

	return from->rate + u * (to->rate - from->rate);
}

static void put_change(struct ep_path_job *job, struct ep_value_change *change, int slot,
	uint8_t replica, double by)
{
	change->by[slot] = (float)by;
	change->replica[slot] = replica;
	job->event->totals[replica] += by;
}

/* Fills a slice that did not measure the event, between samples left and left + 1. */
static void fill_slice(struct ep_path_job *job, const struct ep_path_pool *pool,
	const struct ep_path_slice *slice, int64_t left)
{
	struct ep_stretch *stretch = job->stretch;
	struct ep_value_change *change = &stretch->changes[slice->at];
	double scale = pool->scale, clock = slice->clock, unseen = 0;
	bool is_far = job->kinds[slice->at] == EP_PATH_FAR_GAP;
	double rate = rate_between(job, pool, left, left + 1, slice);
	/* computed before anything is stored, so that the compiler can share common parts */
	double without_left = clock * (rate_between(job, pool, left - 1, left + 1, slice) - rate);
	double without_right = clock * (rate_between(job, pool, left, left + 2, slice) - rate);

	stretch->values[slice->at] = rate * clock;
	stretch->state[slice->at] = EP_VALUE_FILLED;
	job->kinds[slice->at] = EP_PATH_CLOSED;
	if (left >= 0)
		put_change(job, change, 0, job->blocks[job->samples[left].slice],
			without_left * scale);
	if (left + 1 < pool->n)
		put_change(job, change, 1, job->blocks[job->samples[left + 1].slice],
			without_right * scale);
	if (is_far || (pool->level && job->n_places > 1))
		unseen = EP_PATH_UNSEEN_ERROR * fmax(rate, job->event->mean_rate);
	if (unseen + pool->least > 0)
		put_change(job, change, 2, (uint8_t)(stretch->places[slice->idx] % EP_N_REPLICAS),
			(unseen + pool->least) * clock);
}

/* Tells whether a slice is hidden for the hold-out. The choice is random, since a program may alternate with
 * a fixed period. */
static bool is_hidden(const struct ep_path_job *job, uint32_t slice)
{
	uint32_t step = job->event->holdout_step;

	return step == 1 || (ep_hash_mix(job->stretch->seed, slice) >> 32) * step >> 32 == 0;
}

/* Adds the error of a hidden slice, weighted by its time. An error x above 1 (100 %) counts as 1 + log x. */
static void note_holdout(const struct ep_path_job *job, const struct ep_path_slice *slice,
	double count, double estimate)
{
	struct ep_path_event *event = job->event;
	double error;

	if (!(count > 0) || !is_hidden(job, slice->idx))
		return;
	error = fabs(estimate - count) / count;
	event->holdout_sum += slice->clock * (error > 1 ? 1 + log(error) : error);
	event->holdout_clock += slice->clock;
}

/* Estimates sample k as if it had not been measured, for the replica that leaves it out and for the
 * hold-out. */
static void leave_out(struct ep_path_job *job, const struct ep_path_pool *pool,
	const struct ep_path_slice *slice, int64_t k)
{
	double count = job->stretch->values[slice->at];
	double estimate = slice->clock * rate_between(job, pool, k - 1, k + 1, slice);

	if (job->kinds[slice->at] == EP_PATH_CLOSED_SAMPLE)
		return;
	job->kinds[slice->at] = EP_PATH_CLOSED_SAMPLE;
	put_change(job, &job->stretch->changes[slice->at], 0, job->blocks[slice->idx],
		(estimate - count) * pool->scale);
	if (pool->n > 1)
		note_holdout(job, slice, count, estimate);
}

/* Returns the 95 % quantile of Student's t with n - 1 degrees of freedom divided by the normal's 1.96; for
 * two samples it returns 3 instead of 6.5, since the errors of many such places would dominate all others. */
static double small_sample_factor(uint32_t n)
{
	static const double factors[] = { 1, 1, 3, 2.2, 1.62, 1.42, 1.31, 1.25, 1.21, 1.18, 1.15 };

	return n < EP_ARRAY_SIZE(factors) ? factors[n] : 1 + 1.22 / (n - 1);
}

static void find_samples(struct ep_path_job *job, struct ep_path_pool *pool)
{
	double lowest = INFINITY, highest = 0, clock = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < pool->n_slices; i++) {
		struct ep_path_slice slice = ep_path_slice_of(job, pool->slices[i].slice);

		/* a slice that is no sample is written, too, and the next slice overwrites it */
		job->samples[n] =
			(struct ep_path_sample){ job->stretch->values[slice.at] / slice.clock,
				EP_PATH_FAR_SHORTER * slice.clock, slice.idx };
		if (job->kinds[slice.at] < EP_PATH_SAMPLE)
			continue;
		lowest = fmin(lowest, job->samples[n].rate);
		highest = fmax(highest, job->samples[n].rate);
		clock += slice.clock;
		n++;
	}
	pool->n = n;
	pool->least = n && lowest == highest ? EP_PATH_LEAST_COUNTS / clock : 0;
	pool->scale = sqrt(1 - (double)n / pool->n_slices) * small_sample_factor(n);
}

static bool is_gap(const struct ep_path_job *job, const struct ep_path_pool *pool,
	const struct ep_path_slice *slice)
{
	return ep_path_is_gap(job, slice->at) &&
	       (!pool->level || !ep_path_is_turn(job->stretch, slice->idx));
}

static bool has_open(const struct ep_path_job *job, const struct ep_path_pool *pool)
{
	for (uint32_t i = 0; i < pool->n_slices; i++) {
		struct ep_path_slice slice = ep_path_slice_of(job, pool->slices[i].slice);

		if (job->kinds[slice.at] == EP_PATH_SAMPLE || is_gap(job, pool, &slice))
			return true;
	}
	return false;
}

/* ---- places with too few samples in the stretch ---- */

/* Returns the history of a pool's place; NULL: it has too few samples to fill the pool. */
static const struct ep_place_sums *known_of(
	const struct ep_path_job *job, const struct ep_path_pool *pool)
{
	const struct ep_place_sums *sums = NULL;

	if (job->uses_history && !pool->level)
		sums = ep_learnt_find(job->learnt, pool->slices[0].key, job->event->idx);
	return sums && sums->n >= least_measured[0] ? sums : NULL;
}

/* Fills a gap from the history. The error of the mean rate is common to all slices of the place; the
 * deviation of each slice from the mean is its own, and gets a random sign and a random replica. */
static void fill_gap_from_history(struct ep_path_job *job, const struct ep_path_slice *slice,
	const struct ep_place_rate *rate, double mean_error)
{
	struct ep_stretch *stretch = job->stretch;
	struct ep_value_change *change = &stretch->changes[slice->at];
	uint64_t chance = ep_hash_mix(stretch->seed, slice->at);
	double scatter = slice->clock * rate->scatter;

	bool is_far = job->kinds[slice->at] == EP_PATH_FAR_GAP;

	stretch->values[slice->at] = slice->clock * rate->mean;
	stretch->state[slice->at] = EP_VALUE_FILLED;
	job->kinds[slice->at] = EP_PATH_CLOSED;
	put_change(job, change, 0, (uint8_t)((chance >> 32) % EP_N_REPLICAS),
		chance >> 63 ? scatter : -scatter);
	put_change(job, change, 1, (uint8_t)(stretch->places[slice->idx] % EP_N_REPLICAS),
		slice->clock * (is_far ? fmax(mean_error, EP_PATH_UNSEEN_ERROR * rate->mean)
				       : mean_error));
}

static void leave_out_of_history(struct ep_path_job *job, const struct ep_path_slice *slice,
	const struct ep_place_sums *sums)
{
	double count = job->stretch->values[slice->at], clock = sums->clock - slice->clock;

	job->kinds[slice->at] = EP_PATH_CLOSED_SAMPLE;
	if (clock > 0 && ep_learnt_clock_of(job->learnt, job->stretch, slice->idx) > 0)
		note_holdout(job, slice, count, slice->clock * (sums->count - count) / clock);
}

/* Fills a pool from the samples of other stretches and threads in the same place. */
static void fill_from_history(
	struct ep_path_job *job, const struct ep_path_pool *pool, const struct ep_place_sums *sums)
{
	struct ep_place_rate rate = ep_place_rate_of(sums);
	double scatter = rate.scatter / sqrt(sums->n) * small_sample_factor(sums->n);
	double mean_error = fmax(scatter, EP_PATH_LEAST_COUNTS / sums->clock);

	job->event->n_known++;
	for (uint32_t i = 0; i < pool->n_slices; i++) {
		struct ep_path_slice slice = ep_path_slice_of(job, pool->slices[i].slice);

		if (job->kinds[slice.at] >= EP_PATH_SAMPLE)
			leave_out_of_history(job, &slice, sums);
		else if (is_gap(job, pool, &slice))
			fill_gap_from_history(job, &slice, &rate, mean_error);
	}
}

static void fill_pool(struct ep_path_job *job, struct ep_path_pool *pool)
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
		struct ep_path_slice slice = ep_path_slice_of(job, pool->slices[i].slice);

		if (job->kinds[slice.at] >= EP_PATH_SAMPLE)
			leave_out(job, pool, &slice, ++left);
		else if (is_gap(job, pool, &slice))
			fill_slice(job, pool, &slice, left);
	}
}

/* Fills one event after the other while the pool's slices are in the CPU's cache. Wider pools are only used
 * for events with too few samples in their places. */
void ep_path_pool_fill(struct ep_path_job *job, struct ep_path_pool *pool)
{
	for (uint32_t k = 0; k < job->n_events; k++) {
		job->event = &job->events[k];
		if (!pool->level || ep_path_has_open_pools(job->event))
			fill_pool(job, pool);
	}
}
