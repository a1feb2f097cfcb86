// SPDX-License-Identifier: BSD-3-Clause
/*
 * The filler `auto`: chooses among the estimators of reporter/estimate, and `path`, which fills by the place
 * in the program. When `path` has been better several times in a process, it fills the rest of that process.
 */
#include "reporter/fill/fill_auto.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/containers/index.h"
#include "reporter/fill/fill_fit.h"
#include "reporter/fill/fill_path.h"

/* In a stretch of so many slices each of 64 groups has many turns, and there are enough for the hold-out;
 * 4096 slices of 16 events take 1 MB. The estimator is chosen for each stretch anew, so that longer stretches
 * would give other results. */
#define SLICES_AT_ONCE 4096

/* If path won all of the stretches that were compared, and at least this many, the other estimators are not
 * tried any more, since they take most of the time. */
#define ENOUGH_WON 4

struct auto_process {
	void *path;
	const struct ep_fill_events *events;
	uint32_t n_compared, n_won_by_path; /* numbers of stretches */
};

/* Frees the copy of the stretch that `path` filled. */
static void finish_copy(struct ep_stretch *copy)
{
	free(copy->values);
	free(copy->state);
	free(copy->variances);
	free(copy->quality);
	free(copy->changes);
}

static bool copy_stretch(const struct ep_stretch *stretch, struct ep_stretch *out)
{
	size_t n = (size_t)stretch->n_slices * stretch->n_events;

	*out = *stretch;
	out->values = malloc((n + 1) * sizeof(*out->values));
	out->state = malloc(n + 1);
	out->variances = malloc((n + 1) * sizeof(*out->variances));
	out->quality = calloc(stretch->n_events + 1, sizeof(*out->quality));
	out->changes = calloc(n + 1, sizeof(*out->changes));
	if (!out->values || !out->state || !out->variances || !out->quality || !out->changes)
		return false;
	memcpy(out->values, stretch->values, n * sizeof(*out->values));
	memcpy(out->state, stretch->state, n);
	memcpy(out->variances, stretch->variances, n * sizeof(*out->variances));
	return true;
}

static void take_event(struct ep_stretch *stretch, const struct ep_stretch *from, size_t e)
{
	for (size_t at = e; at < (size_t)stretch->n_slices * stretch->n_events;
		at += stretch->n_events) {
		stretch->values[at] = from->values[at];
		stretch->state[at] = from->state[at];
		stretch->variances[at] = from->variances[at];
		stretch->changes[at] = from->changes[at];
	}
	stretch->quality[e] = from->quality[e];
}

/* Replaces variances by changes of replicas. Errors of estimators other than `path` belong to no replica. Each is
 * given to a random replica with a random sign, so that the errors of sums grow as with independent errors. */
static void make_changes(struct ep_stretch *stretch, size_t e)
{
	for (size_t i = 0; i < stretch->n_slices; i++) {
		size_t at = i * stretch->n_events + e;
		uint64_t chance = ep_hash_mix(stretch->seed, at);
		double error = sqrt(stretch->variances[at] * EP_N_REPLICAS / (EP_N_REPLICAS - 1));

		if (stretch->state[at] != EP_VALUE_FILLED || !(stretch->variances[at] > 0))
			continue;
		stretch->changes[at].by[0] = (float)(chance >> 63 ? error : -error);
		stretch->changes[at].replica[0] = (chance >> 32) % EP_N_REPLICAS;
		stretch->variances[at] = 0;
	}
}

/* Compares the mean errors over all events, since path fills all events or none, so that counts of the same
 * slices stay consistent. If no count could be hidden, as when an event has only one count in the run, path
 * is taken, because its error shows how little is known. Such a stretch does not count as compared. */
static bool is_path_better(
	const struct ep_stretch *by_path, const struct ep_stretch *by_time, bool *out_is_compared)
{
	double path = 0, time = 0;

	*out_is_compared = false;
	for (size_t e = 0; e < by_path->n_events; e++) {
		double path_error = by_path->quality[e].holdout_error;
		double time_error = by_time->quality[e].holdout_error;

		if (!by_path->quality[e].estimator || !by_time->quality[e].estimator ||
			isnan(path_error) || isnan(time_error))
			continue;
		path += path_error;
		time += time_error;
		*out_is_compared = true;
	}
	return *out_is_compared ? path < time : true;
}

static bool is_settled(const struct auto_process *process)
{
	return process->n_compared >= ENOUGH_WON && process->n_won_by_path == process->n_compared;
}

static void choose(
	struct auto_process *process, const struct ep_stretch *by_path, struct ep_stretch *stretch)
{
	bool is_compared = false;
	bool takes_path = by_path->has_changes && is_path_better(by_path, stretch, &is_compared);

	for (size_t e = 0; by_path->has_changes && e < stretch->n_events; e++) {
		if (takes_path && by_path->quality[e].estimator)
			take_event(stretch, by_path, e);
		else
			make_changes(stretch, e);
	}
	stretch->has_changes = by_path->has_changes;
	process->n_compared += is_compared;
	process->n_won_by_path += is_compared && takes_path;
}

/* Takes `path` where slices of the same place tell more about a gap than slices that are near in time and
 * have similar counts. */
static void fill(void *of_process, struct ep_stretch *stretch)
{
	struct auto_process *process = of_process;
	__attribute__((cleanup(finish_copy))) struct ep_stretch by_path = { 0 };

	if (is_settled(process)) {
		ep_filler_path.fill(process->path, stretch);
		return;
	}
	if (!ep_stretch_has_gap(stretch) || !copy_stretch(stretch, &by_path))
		return;
	ep_filler_path.fill(process->path, &by_path);
	ep_fill_by_time(process->events, "auto", stretch);
	choose(process, &by_path, stretch);
}

static void *process_create(struct ep_fill_events *events)
{
	struct auto_process *process = calloc(1, sizeof(*process));

	if (!process)
		return NULL;
	process->events = events;
	process->path = ep_filler_path.process_create(events);
	if (process->path)
		return process;
	free(process);
	return NULL;
}

static void process_destroy(void *of_process)
{
	struct auto_process *process = of_process;

	ep_filler_path.process_destroy(process->path);
	free(process);
}

static void learn(void *of_process, const struct ep_stretch *stretch)
{
	ep_filler_path.learn(((struct auto_process *)of_process)->path, stretch);
}

const struct ep_filler_ops ep_filler_auto = {
	.name = "auto",
	.n_slices = SLICES_AT_ONCE,
	.n_slices_most = SLICES_AT_ONCE,
	.tells_variances = true,
	.uses_places = true,
	.process_create = process_create,
	.process_destroy = process_destroy,
	.learn = learn,
	.fill = fill,
};
