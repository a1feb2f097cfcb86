// SPDX-License-Identifier: BSD-3-Clause
/*
 * The filler `path`: a gap is filled from slices that ended in the same place of the program, close in time.
 * Programs do different things in different places; an estimator that uses only the time of a slice mixes
 * them.
 *
 * A place is a call site together with a piece of the code below it; for slices that began at another call
 * site, it is the pair of both call sites. Gaps in places that hardly measured the event are filled from
 * slices of the same call site, and at last from all slices. Gaps in slices that began at another call site
 * are filled from the slices before and after instead. Within the slices of one place, of one call site, or
 * of the stretch (a pool) the rate is interpolated linearly from one measured slice to the next.
 *
 * The error of estimates follows from leaving out measured slices, some in each of EP_N_REPLICAS replicas
 * (delete-a-group jackknife). A slice is left out with all events that it measured, so that errors of
 * differences and ratios of events are correct.
 */
#include "reporter/fill/fill_path.h"

#include <math.h>

#include "reporter/fill/fill_fit.h"
#include "reporter/fill/learnt.h"
#include "reporter/fill/path_job.h"
#include "reporter/load/load.h"

#define SLICES_AT_ONCE 4096
#define MOST_AT_ONCE 16384

/* ---- pools of slices, from places to all slices ---- */

static bool has_open_events(const struct ep_path_job *job)
{
	for (uint32_t k = 0; k < job->n_events; k++)
		if (ep_path_has_open_pools(&job->events[k]))
			return true;
	return false;
}

/* Returns the order of slices for a level of pools. The orders of wider pools are made only when a place
 * measured too little. */
static const struct ep_keyed_slice *order_of(struct ep_path_job *job, int level)
{
	const struct ep_stretch *stretch = job->stretch;

	if (!job->orders[level])
		job->orders[level] = level == 1
					     ? ep_slices_by_key(stretch->sites, stretch->n_slices)
					     : ep_slices_in_time(stretch->n_slices);
	return job->orders[level];
}

static void fill_level(struct ep_path_job *job, int level)
{
	const struct ep_keyed_slice *order = order_of(job, level);
	uint32_t n = order ? job->stretch->n_slices : 0;

	for (uint32_t from = 0, to; from < n; from = to) {
		struct ep_path_pool pool = { .slices = order + from, .level = level };

		for (to = from; to < n && order[to].key == order[from].key; to++)
			;
		pool.n_slices = to - from;
		ep_path_pool_fill(job, &pool);
	}
}

/* ---- slices that began in another place ---- */

struct neighbour {
	double rate, trust;
};

/* Returns the rate of a neighbouring slice, and how far it is trusted. A neighbour without a known rate gets
 * the mean rate. */
static struct neighbour neighbour_of(const struct ep_path_job *job, uint32_t slice, uint32_t of)
{
	bool is_known = slice < job->stretch->n_slices && job->clock[slice] > 0 &&
			job->stretch->state[ep_path_cell_of(job, slice)] != EP_VALUE_MISSING;

	if (!is_known)
		return (struct neighbour){ job->event->mean_rate, 1 };
	return (struct neighbour){ job->stretch->values[ep_path_cell_of(job, slice)] /
					   job->clock[slice],
		ep_path_trust(EP_PATH_FAR_SHORTER * job->clock[slice], job->clock[of]) };
}

/* Fills a slice in which the place changed. The change may have been at any time in the slice, so half of
 * each neighbour's rate is taken (less of a neighbour that is far shorter), with the standard deviation of a
 * uniformly distributed share. */
static void fill_turn(struct ep_path_job *job, uint32_t slice)
{
	struct ep_stretch *stretch = job->stretch;
	size_t at = ep_path_cell_of(job, slice);
	struct ep_value_change *change = &stretch->changes[at];
	struct neighbour before = neighbour_of(job, slice - 1, slice);
	struct neighbour after = neighbour_of(job, slice + 1, slice);
	double u = after.trust / (before.trust + after.trust), turn = after.rate - before.rate;
	double rate = before.rate + u * turn, error = turn / sqrt(12);

	if (job->kinds[at] == EP_PATH_FAR_GAP)
		error = fmax(fabs(error), EP_PATH_UNSEEN_ERROR * fmax(rate, job->event->mean_rate));
	error = job->clock[slice] * copysign(fmax(fabs(error), job->event->least_error), turn);
	stretch->values[at] = job->clock[slice] * rate;
	stretch->state[at] = EP_VALUE_FILLED;
	change->by[0] = (float)error;
	change->replica[0] = (uint8_t)(slice % EP_N_REPLICAS);
	job->event->totals[change->replica[0]] += error;
}

static void fill_turns(struct ep_path_job *job)
{
	for (uint32_t i = 1; i < job->stretch->n_slices; i++) {
		if (!ep_path_is_turn(job->stretch, i))
			continue;
		for (uint32_t k = 0; k < job->n_events; k++) {
			job->event = &job->events[k];
			if (!isnan(job->event->mean_rate) &&
				job->stretch->state[ep_path_cell_of(job, i)] == EP_VALUE_MISSING)
				fill_turn(job, i);
		}
	}
}

/* ---- a stretch ---- */

static struct ep_fill_quality quality_of(const struct ep_path_event *event)
{
	struct ep_fill_quality quality = { .estimator = "path", .holdout_error = NAN };

	for (int j = 0; j < EP_N_REPLICAS; j++)
		quality.variance +=
			event->totals[j] * event->totals[j] * (EP_N_REPLICAS - 1) / EP_N_REPLICAS;
	if (event->holdout_clock > 0)
		quality.holdout_error = event->holdout_sum / event->holdout_clock;
	return quality;
}

/* Fills a stretch. If there is no memory, gaps stay and are marked as missing. */
static void fill(void *thread, struct ep_stretch *stretch)
{
	__attribute__((cleanup(ep_path_job_finish))) struct ep_path_job job = { thread,
		.stretch = stretch };

	ep_learnt_add(thread, stretch);
	if (!ep_stretch_has_gap(stretch) || !ep_path_job_prepare(&job))
		return;
	job.uses_history = job.clock_event == job.learnt->clock;
	fill_level(&job, 0);
	for (int level = 1; level < EP_PATH_N_LEVELS && has_open_events(&job); level++)
		fill_level(&job, level);
	fill_turns(&job);
	for (uint32_t k = 0; k < job.n_events; k++)
		if (job.events[k].n_known || !isnan(job.events[k].mean_rate))
			stretch->quality[job.events[k].idx] = quality_of(&job.events[k]);
	stretch->has_changes = true;
	ep_fill_count_outliers(stretch, job.always, job.clock_event);
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
