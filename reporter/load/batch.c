// SPDX-License-Identifier: BSD-3-Clause
/* This file makes a stretch of a thread's pending slices, which the estimator fills. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/load/batch.h"
#include "reporter/load/event_ticks.h"

/* Returns a flag (n_events) for each event that slice i measured; NULL: it measured none. */
static inline const uint8_t *measured_in(const struct slice_batch *batch, uint32_t i)
{
	const struct ep_sample *s = &batch->pending->samples[i];
	const struct ep_groups *groups = &batch->process->groups;

	if (!groups->n_groups || ep_is_dead(s))
		return NULL;
	return groups->holds + (size_t)s->group * groups->n_events;
}

static uint64_t running_us(const struct ep_sample *s)
{
	return s->cpu_us - s->idle_us;
}

/* rates are averaged over this many slices on either side: they cover several rotations of counters by the
 * kernel */
enum { RATE_REACH = 16 };

/* A rate in counts per microsecond of the time in which the group ran. */
struct rate {
	double mean, variance; /* variance: of one slice's rate */
};

/* Returns the rate around slice i, which ran. The mean is the sum of the counts divided by the sum of the
 * times. A mean of the slices' own rates would be too low: each time the kernel gives the counters back, a
 * part of the "running" time passes in the kernel, and this part is largest in the slices that ran least. */
static struct rate rate_around(const struct slice_batch *batch, uint32_t i, uint32_t e)
{
	uint32_t from = i > RATE_REACH ? i - RATE_REACH : 0;
	double count = 0, time_us = 0, squares = 0;

	for (uint32_t j = from; j < batch->pending->n_slices && j <= i + RATE_REACH; j++) {
		const uint8_t *is_measured = measured_in(batch, j);
		uint64_t value = batch->pending->values[(size_t)j * batch->n_events + e];
		double ran_us = (double)running_us(&batch->pending->samples[j]);

		if (!is_measured || !is_measured[e] || value > INT64_MAX)
			continue;
		count += (double)value;
		time_us += ran_us;
		/* the last slice before a thread's end may be shorter than a microsecond; its ran_us is 0 */
		if (ran_us > 0)
			squares += (double)value * (double)value / ran_us;
	}
	double mean = count / time_us;

	return (struct rate){ mean, fmax(0, squares / time_us - mean * mean) };
}

/* Estimates how much event e would have counted in the part of slice i during which another user had the
 * PMU. */
static double count_while_idle(struct slice_batch *batch, uint32_t i, uint32_t e)
{
	struct ep_event_info *info = &batch->loader->trace->events[batch->process->event_idx[e]];
	struct rate rate = rate_around(batch, i, e);
	double idle_us = (double)batch->pending->samples[i].idle_us;
	double variance = idle_us * idle_us * rate.variance;

	info->is_scaled = true;
	info->variance += variance;
	batch->stretch.variances[(size_t)i * batch->n_events + e] = variance;
	return idle_us * rate.mean;
}

static void put_idle(struct slice_batch *batch, uint32_t i)
{
	size_t at = (size_t)i * batch->n_events;

	if (!batch->pending->samples[i].idle_us)
		return;
	for (uint32_t e = 0; e < batch->n_events; e++, at++)
		if (batch->stretch.state[at] == EP_VALUE_MEASURED)
			batch->stretch.values[at] += count_while_idle(batch, i, e);
}

/* The cells of one slice, (n_events) each. */
struct cells {
	const uint8_t *is_measured; /* NULL: the slice measured no event */
	const uint64_t *counts;
	double *values;
	uint8_t *state;
};

/* Sets the cells of a slice that measured every event. Returns false if a count is damaged. */
static bool put_whole(const struct cells *cells, uint32_t n_events)
{
	uint64_t bits = 0;

	for (uint32_t e = 0; e < n_events; e++) {
		bits |= cells->counts[e];
		cells->values[e] = (double)(int64_t)cells->counts[e];
		cells->state[e] = EP_VALUE_MEASURED;
	}
	return bits <= INT64_MAX;
}

/* Sets the cells of a slice that did not measure every event. Returns how many counts are damaged. */
static uint32_t put_some(const struct cells *cells, uint32_t n_events)
{
	uint32_t n_bad = 0;

	for (uint32_t e = 0; e < n_events; e++) {
		bool is_there = cells->is_measured && cells->is_measured[e];
		bool is_good = is_there && cells->counts[e] <= INT64_MAX;

		cells->values[e] = is_good ? (double)(int64_t)cells->counts[e] : 0;
		cells->state[e] = is_good ? EP_VALUE_MEASURED : EP_VALUE_MISSING;
		n_bad += is_there && !is_good;
	}
	return n_bad;
}

/* Sets the cells of slice i; is_of_all: its group holds all events. Returns how many counts are damaged. */
static uint32_t put_slice(struct slice_batch *batch, uint32_t i, bool is_of_all)
{
	size_t at = (size_t)i * batch->n_events;
	const struct cells cells = { measured_in(batch, i), batch->pending->values + at,
		batch->stretch.values + at, batch->stretch.state + at };

	if (cells.is_measured && is_of_all && put_whole(&cells, batch->n_events))
		return 0;
	batch->stretch.is_whole = false;
	return put_some(&cells, batch->n_events);
}

static bool holds_all(const struct ep_groups *groups, uint32_t group)
{
	return !memchr(groups->holds + (size_t)group * groups->n_events, 0, groups->n_events);
}

/* Sets the cells of all slices. Returns how many counts are damaged. */
static uint32_t put_slices(struct slice_batch *batch)
{
	const struct ep_groups *groups = &batch->process->groups;
	const struct ep_sample *samples = batch->pending->samples;
	bool is_whole[EP_TRACE_MAX_GROUPS + 1] = {
		false
	}; /* if the process has no groups, all slices have group 0 */
	uint32_t n_bad = 0;

	for (uint32_t g = 0; g < groups->n_groups; g++)
		is_whole[g] = holds_all(groups, g);
	for (uint32_t i = 0; i < batch->stretch.n_slices; i++)
		n_bad += put_slice(batch, i, is_whole[samples[i].group]);
	return n_bad;
}

/* Tells whether all groups of the process hold all of its events, and ran in each slice. */
static bool measures_all(const struct slice_batch *batch)
{
	const struct ep_groups *groups = &batch->process->groups;
	size_t n = (size_t)groups->n_groups * groups->n_events;

	return n && !batch->has_idle && !(batch->flags & EP_SAMPLE_NOT_RUN) &&
	       !memchr(groups->holds, 0, n);
}

/* Sets the values of event e, unless all its counts are 0. Returns the counts joined by OR. */
static uint64_t put_event(const struct slice_batch *batch, uint32_t e)
{
	uint32_t n_slices = batch->stretch.n_slices, n_events = batch->n_events;
	const uint64_t *counts = batch->pending->values + e;
	double *values = batch->stretch.values + e;
	uint64_t bits = 0;

	for (size_t i = 0; i < n_slices; i++)
		bits |= counts[i * n_events];
	for (size_t i = 0; bits && i < n_slices; i++)
		values[i * n_events] = (double)(int64_t)counts[i * n_events];
	return bits;
}

/* Sets the values of all events of a whole batch. Most events of a batch count nothing, so that all values
 * are set to 0 at once before. Returns false if a count is damaged. */
static bool put_all(const struct slice_batch *batch, bool *is_counted)
{
	size_t n = (size_t)batch->stretch.n_slices * batch->n_events;
	uint64_t bits = 0;

	memset(batch->stretch.values, 0, n * sizeof(*batch->stretch.values));
	memset(batch->stretch.state, EP_VALUE_MEASURED, n);
	for (uint32_t e = 0; e < batch->n_events; e++) {
		uint64_t of_event = put_event(batch, e);

		is_counted[e] = of_event;
		bits |= of_event;
	}
	return bits <= INT64_MAX;
}

/* ---- the estimator ---- */

static void keep_quality(struct slice_batch *batch)
{
	for (uint32_t e = 0; e < batch->n_events; e++) {
		const struct ep_fill_quality *quality = &batch->stretch.quality[e];
		struct ep_event_info *info =
			&batch->loader->trace->events[batch->process->event_idx[e]];

		if (!quality->estimator)
			continue;
		info->estimator = quality->estimator;
		info->n_outliers += quality->n_outliers;
		info->variance +=
			/* NaN from now on, if the variance of this stretch is NaN (not known) */
			quality->variance;
		if (isnan(quality->holdout_error))
			continue;
		info->holdout_error += quality->holdout_error * batch->pending->n_slices;
		info->holdout_slices += batch->pending->n_slices;
	}
}

/* Sets the place of slice i. A slice that began at another call site than it ended at has counts of both, and
 * so its place is a hash of the two call sites. */
static void find_place(
	const struct slice_batch *batch, uint32_t i, uint64_t *places, uint64_t *sites)
{
	const struct ep_path *path = &batch->loader->trace->paths[batch->pending->path_idx[i]];

	sites[i] = path->site;
	places[i] =
		i && sites[i] != sites[i - 1] ? ep_hash_mix(sites[i], sites[i - 1]) : path->place;
}

/* The arrays of the stretch that the filler reads and sets; the batch owns their memory. */
struct arrays {
	double *cpu_us, *values, *variances;
	uint8_t *state;
	struct ep_fill_quality *quality;
	struct ep_value_change *changes;
	uint64_t *places, *sites;
	bool *is_counted;
};

static void arrays_finish(struct arrays *arrays)
{
	free(arrays->cpu_us);
	free(arrays->values);
	free(arrays->variances);
	free(arrays->state);
	free(arrays->quality);
	free(arrays->changes);
	free(arrays->places);
	free(arrays->sites);
	free(arrays->is_counted);
}

/* Allocates the arrays. Only arrays that are read before they are completely written are zeroed. */
static int arrays_init(struct arrays *arrays, const struct slice_batch *batch)
{
	const struct ep_filler_ops *filler = batch->loader->options->filler;
	bool has_variances = filler->tells_variances || batch->has_idle;
	size_t n_slices = batch->stretch.n_slices, n_values = n_slices * batch->n_events;

	*arrays = (struct arrays){
		.cpu_us = malloc(n_slices * sizeof(*arrays->cpu_us)),
		.values = malloc((n_values + 1) * sizeof(*arrays->values)),
		.state = malloc(n_values + 1),
		.quality = calloc(batch->n_events + 1, sizeof(*arrays->quality)),
		.is_counted = calloc(batch->n_events + 1, sizeof(*arrays->is_counted)),
	};
	if (has_variances)
		arrays->variances = calloc(n_values + 1, sizeof(*arrays->variances));
	if (filler->uses_places) {
		arrays->changes = calloc(n_values + 1, sizeof(*arrays->changes));
		arrays->places = malloc(n_slices * sizeof(*arrays->places));
		arrays->sites = malloc(n_slices * sizeof(*arrays->sites));
	}
	return !arrays->cpu_us || !arrays->values || !arrays->state || !arrays->quality ||
			       !arrays->is_counted || (has_variances && !arrays->variances) ||
			       (filler->uses_places &&
				       (!arrays->changes || !arrays->places || !arrays->sites))
		       ? -ENOMEM
		       : 0;
}

/* Fills the arrays from the slices. Returns how many counts are damaged. */
static uint32_t set_stretch(struct slice_batch *batch, const struct arrays *arrays)
{
	struct ep_stretch *stretch = &batch->stretch;

	stretch->cpu_us = arrays->cpu_us;
	stretch->values = arrays->values;
	stretch->variances = arrays->variances;
	stretch->state = arrays->state;
	stretch->quality = arrays->quality;
	stretch->changes = arrays->changes;
	stretch->places = arrays->places;
	stretch->sites = arrays->sites;
	for (uint32_t i = 0; i < stretch->n_slices; i++)
		arrays->cpu_us[i] = (double)(int64_t)batch->pending->samples[i].cpu_us;
	for (uint32_t i = 0; arrays->places && i < stretch->n_slices; i++)
		find_place(batch, i, arrays->places, arrays->sites);
	stretch->is_whole = measures_all(batch) && put_all(batch, arrays->is_counted);
	stretch->is_counted = stretch->is_whole ? arrays->is_counted : NULL;
	if (stretch->is_whole)
		return 0;
	stretch->is_whole = !batch->has_idle;
	return put_slices(batch);
}

/* Sets the members of the batch that tell what at least one of its slices has. */
static void look_through(const struct ep_pending *pending, struct slice_batch *batch)
{
	uint64_t idle_us = 0;

	for (uint32_t i = 0; i < pending->n_slices; i++) {
		idle_us |= pending->samples[i].idle_us;
		batch->flags |= pending->samples[i].flags;
	}
	batch->has_idle = idle_us;
	batch->has_triggers = pending->n_ticks || ep_sample_trigger(batch->flags) >= 0;
}

static struct slice_batch batch_of(struct loader *loader, struct ep_trace_thread *thread)
{
	struct ep_trace_process *process = &loader->trace->processes[thread->process_idx];
	uint32_t n_events = process->groups.n_events;
	struct slice_batch batch = {
		.loader = loader,
		.process = process,
		.thread = thread,
		.pending = &thread->pending,
		.stretch = { .n_slices = thread->pending.n_slices,
			.n_events = n_events,
			.n_learnt = thread->pending.n_learnt,
			.seed = ep_hash_mix(thread->seed, thread->cost.n_samples) },
		.n_events = n_events,
		.has_kernel_rows = !process->has_costs && !loader->options->see_times,
		.has_latency = !process->is_simulated && !process->has_costs,
		.latency_seed = ep_hash_mix(thread->seed, process->key.birth_ns),
		.born_us = process->born_ns / 1000,
		.period_us = process->window_us,
		.one_tick_us = process->hides_kernel && process->window_us
				       ? process->window_us + process->window_us / 4 * 3
				       : UINT64_MAX,
	};

	look_through(&thread->pending, &batch);
	return batch;
}

/* Shows a thread's pending slices to the filler's learn before they are filled. Nothing is shown if another
 * user had the PMU for a part of a slice. */
static int learn_from(struct loader *loader, struct ep_trace_thread *thread)
{
	__attribute__((cleanup(arrays_finish))) struct arrays arrays = { 0 };
	uint32_t n_new = thread->pending.n_slices - thread->pending.n_learnt;
	struct slice_batch batch;

	/* The arrays are made of all pending slices each time, which would take too long for a few new
	 * slices. */
	if (!n_new || n_new < thread->pending.n_learnt / 2)
		return 0;
	batch = batch_of(loader, thread);
	if (batch.has_idle)
		return 0;
	if (arrays_init(&arrays, &batch) || ep_fillers_prepare(loader, thread))
		return -ENOMEM;
	set_stretch(&batch, &arrays);
	loader->options->filler->learn(thread->filler, &batch.stretch);
	batch.process->n_learnt += batch.stretch.n_slices - batch.stretch.n_learnt;
	thread->pending.n_learnt = batch.stretch.n_slices;
	return 0;
}

/* In a process with more threads, the filler does not learn from other threads before a thread's gaps are
 * filled: to look through all threads each time would take too long. */
#define MOST_THREADS 1024

static int learn_from_others(struct loader *loader, const struct ep_trace_thread *but)
{
	struct ep_trace *trace = loader->trace;
	uint32_t n_threads = trace->processes[but->process_idx].n_threads;

	if (!loader->options->filler->learn || n_threads < 2 || n_threads > MOST_THREADS)
		return 0;
	for (uint32_t i = trace->first_thread_of_file; i < trace->n_threads; i++) {
		struct ep_trace_thread *thread = &trace->threads[i];

		if (trace->processes[but->process_idx].n_learnt >= EP_ENOUGH_LEARNT)
			break;
		if (thread != but && thread->process_idx == but->process_idx &&
			learn_from(loader, thread))
			return -ENOMEM;
	}
	return 0;
}

static int flush(struct slice_batch *batch)
{
	__attribute__((cleanup(arrays_finish))) struct arrays arrays = { 0 };

	if (learn_from_others(batch->loader, batch->thread) || arrays_init(&arrays, batch) ||
		ep_fillers_prepare(batch->loader, batch->thread) ||
		ep_sums_reserve(&batch->thread->sums, batch->loader->trace->n_events))
		return -ENOMEM;
	batch->loader->trace->loss.n_bad_counts += set_stretch(batch, &arrays);
	for (uint32_t i = 0; batch->has_idle && i < batch->stretch.n_slices; i++)
		put_idle(batch, i);
	batch->process->n_learnt += batch->stretch.n_slices - batch->stretch.n_learnt;
	batch->loader->options->filler->fill(batch->thread->filler, &batch->stretch);
	keep_quality(batch);
	return ep_batch_add(batch);
}

int ep_samples_flush(struct loader *loader, struct ep_trace_thread *thread)
{
	struct slice_batch batch = batch_of(loader, thread);

	/* Where no slice is pending, the ticks of a window that is still open stay pending. */
	if (!thread->pending.n_slices)
		return 0;
	if (flush(&batch))
		return -ENOMEM;
	ep_event_ticks_keep_open(&thread->pending);
	thread->pending.n_slices = 0;
	thread->pending.n_learnt = 0;
	return 0;
}
