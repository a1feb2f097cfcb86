// SPDX-License-Identifier: BSD-3-Clause
/* Pending slices go through the estimator, then to the call path they ended in, to their thread, to
 * the timeline; then they are forgotten. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "reporter/load/internal.h"

struct batch {
	struct loader *loader;
	struct ep_process *process;
	struct ep_thread *thread;
	const struct ep_pending *pending;
	struct ep_stretch stretch;
	uint32_t n_events;
};

/* Another user of the PMU had it for the whole slice: the group was on and never ran. */
static bool is_dead(const struct ep_sample *s)
{
	return s->flags & EP_SAMPLE_NOT_RUN || (s->idle_us && s->idle_us >= s->cpu_us);
}

/* (n_events) what slice i measured; NULL: nothing. */
static inline const uint8_t *measured_in(const struct batch *batch, uint32_t i)
{
	const struct ep_sample *s = &batch->pending->samples[i];
	const struct ep_groups *groups = &batch->process->groups;

	if (!groups->n_groups || is_dead(s))
		return NULL;
	return groups->holds + (size_t)s->group * groups->n_events;
}

static uint64_t running_us(const struct ep_sample *s)
{
	return s->cpu_us - s->idle_us;
}

enum { RATE_REACH = 16 }; /* slices to either side: some rotations of the kernel's */

/* Counts per microsecond while the group ran. */
struct rate {
	double mean, variance; /* variance: of one slice's rate */
};

/* Around slice i, which ran. The mean is the ratio of sums: a mean of the slices' own rates would
 * be too low, since each time the kernel gives the counters back some of the "running" time passes
 * in the kernel, and that weighs most in the slices that ran least. */
static struct rate rate_around(const struct batch *batch, uint32_t i, uint32_t e)
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
		if (ran_us > 0) /* the rest before a thread's end may be below a microsecond */
			squares += (double)value * (double)value / ran_us;
	}
	double mean = count / time_us;

	return (struct rate){ mean, fmax(0, squares / time_us - mean * mean) };
}

/* Another user of the PMU had it for a part of the slice. */
static double count_while_idle(struct batch *batch, uint32_t i, uint32_t e)
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

static void put_idle(struct batch *batch, uint32_t i)
{
	size_t at = (size_t)i * batch->n_events;

	if (!batch->pending->samples[i].idle_us)
		return;
	for (uint32_t e = 0; e < batch->n_events; e++, at++)
		if (batch->stretch.state[at] == EP_VALUE_MEASURED)
			batch->stretch.values[at] += count_while_idle(batch, i, e);
}

static void put_slice(struct batch *batch, uint32_t i)
{
	uint32_t n_events = batch->n_events;
	size_t at = (size_t)i * n_events;
	const uint8_t *is_measured = measured_in(batch, i);
	const uint64_t *counts = batch->pending->values + at;
	double *values = batch->stretch.values + at;
	uint8_t *state = batch->stretch.state + at;

	for (uint32_t e = 0; is_measured && e < n_events; e++) {
		if (!is_measured[e])
			continue;
		if (counts[e] > INT64_MAX) {
			batch->loader->trace->loss.n_bad_counts++;
			continue;
		}
		values[e] = (double)(int64_t)counts[e];
		state[e] = EP_VALUE_MEASURED;
	}
	put_idle(batch, i);
}

/* One count of a slice: what of it was counted, and how much time and chance is behind it. */
struct cell {
	double value, counted, variance;
	uint64_t us;
	uint8_t state;
};

/* Only what a cell of its state changes: this runs twice for each of them. */
static inline void add_cell(struct ep_event_sum *sum, const struct cell *cell)
{
	if (cell->state == EP_VALUE_MISSING) {
		sum->missing_us += cell->us;
		return;
	}
	sum->squares += cell->value * cell->value;
	sum->variance += cell->variance;
	if (cell->state == EP_VALUE_FILLED) {
		sum->filled += cell->value;
		sum->filled_us += cell->us;
		return;
	}
	sum->measured += cell->counted;
	sum->filled += cell->value - cell->counted;
	sum->measured_us += cell->us;
}

/* After add_slice: the path has sums. */
static inline struct ep_sums *sums_of_path(const struct batch *batch, uint32_t i)
{
	const struct ep_trace *trace = batch->loader->trace;

	return &trace->costs[trace->paths[batch->pending->path_idx[i]].cost_idx].sums;
}

/* Slices of a stretch. */
struct some {
	uint32_t from, to;
};

static uint64_t add_cells(
	struct batch *batch, const struct some *slices, uint32_t e, uint32_t event)
{
	const struct ep_stretch *stretch = &batch->stretch;
	struct ep_event_sum sum = batch->thread->sums.rows[event];
	uint64_t n_measured = 0;
	size_t at = (size_t)slices->from * batch->n_events + e;

	for (uint32_t i = slices->from; i < slices->to; i++, at += batch->n_events) {
		/* as signed numbers, which they fit: half the work */
		struct cell cell = { stretch->values[at],
			(double)(int64_t)batch->pending->values[at], stretch->variances[at],
			(uint64_t)(int64_t)stretch->cpu_us[i], stretch->state[at] };

		n_measured += cell.state == EP_VALUE_MEASURED;
		add_cell(&sum, &cell);
		add_cell(&sums_of_path(batch, i)->rows[event], &cell);
	}
	batch->thread->sums.rows[event] = sum;
	return n_measured;
}

static inline void add_change(
	float *of_thread, float *of_path, const struct ep_value_change *change)
{
	for (size_t k = 0; k < EP_ARRAY_SIZE(change->by); k++) {
		if (change->by[k] == 0)
			continue;
		of_thread[change->replica[k]] += change->by[k];
		of_path[change->replica[k]] += change->by[k];
	}
}

static void add_changes(struct batch *batch, const struct some *slices, uint32_t e, uint32_t event)
{
	const struct ep_stretch *stretch = &batch->stretch;
	size_t first = (size_t)event * EP_N_REPLICAS;
	float *of_thread = batch->thread->sums.replicas + first;
	size_t at = (size_t)slices->from * batch->n_events + e;

	for (uint32_t i = slices->from; i < slices->to; i++, at += batch->n_events)
		add_change(
			of_thread, sums_of_path(batch, i)->replicas + first, &stretch->changes[at]);
}

/* Event by event, so that the thread's sum stays in registers. */
static void add_some(struct batch *batch, const struct some *slices)
{
	for (uint32_t e = 0; e < batch->n_events; e++) {
		uint32_t event = batch->process->event_idx[e];
		struct ep_event_info *info = &batch->loader->trace->events[event];

		info->n_slices += slices->to - slices->from;
		info->n_slices_measured += add_cells(batch, slices, e, event);
		if (batch->stretch.has_changes && batch->stretch.quality[e].estimator)
			add_changes(batch, slices, e, event);
	}
}

enum { SLICES_IN_CACHE = 256 }; /* while all events' counts of them are added */

static void add_events(struct batch *batch)
{
	uint32_t n_slices = batch->stretch.n_slices;

	for (struct some some = { 0 }; some.from < n_slices; some.from = some.to) {
		some.to = n_slices - some.from < SLICES_IN_CACHE ? n_slices
								 : some.from + SLICES_IN_CACHE;
		add_some(batch, &some);
	}
}

/* A user-mode clock ticks once per period of CPU time but is heard only in user mode: a slice of
 * several periods was in the kernel at the ticks between. Two are 7/4 of one at least, their
 * lengths vary by an eighth. What the scheduler ended is late for one call, in which the thread is
 * met. What the kernel's account of system time does not show was no time in the kernel. */
static struct ep_cost cost_of(const struct batch *batch, const struct ep_sample *s)
{
	uint64_t period = batch->process->groups.period_us;
	struct ep_cost cost = { .n_samples = 1, .cpu_us = s->cpu_us };

	if (s->flags & EP_SAMPLE_NOT_SYSTEM && !batch->process->is_simulated)
		cost.not_system_us = s->cpu_us > period ? s->cpu_us - period : 0;
	else if (batch->process->hides_kernel && !(s->flags & EP_SAMPLE_AT_SCHEDULERS_TICK) &&
		 period && s->cpu_us > period + period / 4 * 3) {
		cost.cpu_us = period;
		cost.hidden_us = s->cpu_us - period;
	}
	return cost;
}

static void add_cost(struct ep_cost *sum, const struct ep_cost *cost)
{
	sum->n_samples += cost->n_samples;
	sum->cpu_us += cost->cpu_us;
	sum->hidden_us += cost->hidden_us;
	sum->not_system_us += cost->not_system_us;
}

static void count_flags(struct ep_loss *loss, const struct ep_sample *s)
{
	if (!s->flags && !s->idle_us)
		return;
	loss->n_not_run += is_dead(s);
	loss->n_incomplete += !!(s->flags & EP_SAMPLE_INCOMPLETE);
	loss->n_cut_stacks += !!(s->flags & EP_SAMPLE_DEEP);
	loss->n_broken_stacks += !!(s->flags & EP_SAMPLE_BROKEN);
	loss->idle_us += s->idle_us;
}

static int add_to_timelines(struct batch *batch)
{
	struct ep_trace *trace = batch->loader->trace;
	struct ep_timeline_slices slices = {
		.birth_us = batch->process->born_ns / 1000,
		.samples = batch->pending->samples,
		.n_slices = batch->pending->n_slices,
		.counts = batch->stretch.values,
		.event_idx = batch->process->event_idx,
		.n_events = batch->n_events,
	};
	int rc = ep_timeline_add(&trace->timeline, EP_TIMELINE_BINS, trace->n_events, &slices);

	slices.counts = NULL;
	return rc ? rc : ep_timeline_add(&batch->thread->timeline, EP_THREAD_BINS, 0, &slices);
}

static int add_hidden(struct batch *batch, uint32_t path_idx, uint64_t hidden_us)
{
	struct ep_trace *trace = batch->loader->trace;
	uint32_t before_idx = batch->thread->last_path_idx;
	uint64_t half_us = before_idx == EP_PATH_ROOT ? 0 : hidden_us / 2;

	if (!hidden_us)
		return 0;
	if (half_us && ep_kernel_cost_add(trace, before_idx, half_us))
		return -ENOMEM;
	return ep_kernel_cost_add(trace, path_idx, hidden_us - half_us);
}

static int add_rank_cost(struct batch *batch, uint32_t path_idx, uint64_t us)
{
	struct ep_trace *trace = batch->loader->trace;
	struct ep_rank_cost cost = { (uint32_t)(batch->thread - trace->threads), path_idx, us };

	return batch->process->meta[EP_META_RANK] ? ep_rank_cost_add(trace, &cost) : 0;
}

/* A part of the run has of its first slice what was left of it. */
static uint64_t wall_us_of(const struct batch *batch, const struct ep_sample *s)
{
	const struct ep_part *part = &batch->loader->trace->part;
	uint64_t end_ns = batch->process->born_ns + s->time_us * 1000, left_us;

	if (!part->is_set || end_ns < part->from_ns)
		return s->wall_us;
	left_us = (end_ns - part->from_ns) / 1000;
	return s->wall_us < left_us ? s->wall_us : left_us;
}

/* With rows for what the stretch adds; NULL when out of memory. */
static struct ep_path_cost *path_cost_of(struct batch *batch, uint32_t path_idx)
{
	struct ep_trace *trace = batch->loader->trace;
	uint32_t cost_idx = trace->paths[path_idx].cost_idx;
	struct ep_path_cost *cost = cost_idx == EP_NONE ? NULL : &trace->costs[cost_idx];

	if (cost && cost->sums.n_rows >= trace->n_events &&
		(cost->sums.replicas || !batch->stretch.has_changes))
		return cost;
	cost = ep_path_cost_of(trace, path_idx);
	if (!cost || ep_sums_reserve(&cost->sums, trace->n_events) ||
		(batch->stretch.has_changes && ep_sums_reserve_replicas(&cost->sums)))
		return NULL;
	return cost;
}

static int add_slice(struct batch *batch, uint32_t i)
{
	struct ep_trace *trace = batch->loader->trace;
	const struct ep_sample *s = &batch->pending->samples[i];
	struct ep_cost cost = cost_of(batch, s);
	uint32_t path_idx = batch->pending->path_idx[i];
	struct ep_path_cost *path_cost;

	if (add_hidden(batch, path_idx, cost.hidden_us) ||
		add_rank_cost(batch, path_idx, s->cpu_us))
		return -ENOMEM;
	batch->thread->last_path_idx = path_idx;
	path_cost = path_cost_of(batch, path_idx);
	if (!path_cost)
		return -ENOMEM;
	add_cost(&batch->thread->cost, &cost);
	cost.hidden_us = 0;
	add_cost(&path_cost->cost, &cost);
	batch->thread->wall_us += wall_us_of(batch, s);
	count_flags(&trace->loss, s);
	trace->n_at_schedulers_ticks += !!(s->flags & EP_SAMPLE_AT_SCHEDULERS_TICK);
	if (s->time_us > batch->process->last_us)
		batch->process->last_us = s->time_us;
	return 0;
}

/* ---- the estimator ---- */

static int list_events(const struct ep_trace *trace, struct ep_process *process)
{
	struct ep_fill_events *events = calloc(1, sizeof(*events));

	process->fill_events = events;
	if (!events)
		return -ENOMEM;
	events->n_events = process->groups.n_events;
	events->names = calloc(events->n_events + 1, sizeof(*events->names));
	events->always = calloc(events->n_events + 1, 1);
	if (!events->names || !events->always)
		return -ENOMEM;
	for (uint32_t e = 0; e < events->n_events; e++) {
		const struct ep_event_info *info = &trace->events[process->event_idx[e]];

		events->names[e] = info->name;
		events->always[e] = info->always;
	}
	return 0;
}

static int prepare_filler(struct batch *batch)
{
	const struct ep_filler_ops *filler = batch->loader->options->filler;
	struct ep_process *process = batch->process;

	if (!process->fill_events && list_events(batch->loader->trace, process))
		return -ENOMEM;
	if (!process->filler)
		process->filler = filler->process_create
					  ? filler->process_create(process->fill_events)
					  : process->fill_events;
	if (process->filler && !batch->thread->filler)
		batch->thread->filler = filler->thread_create
						? filler->thread_create(process->filler)
						: process->filler;
	return batch->thread->filler ? 0 : -ENOMEM;
}

static void keep_quality(struct batch *batch)
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
			quality->variance; /* NaN stays: one unknown part, no known whole */
		if (isnan(quality->holdout_error))
			continue;
		info->holdout_error += quality->holdout_error * batch->pending->n_slices;
		info->holdout_slices += batch->pending->n_slices;
	}
}

/* Loops are some hundred bytes of code: what a slice ended in is told apart by pieces of 256. */
#define PLACE_SHIFT 8

static void find_places(const struct batch *batch, uint64_t *places, uint64_t *sites)
{
	const struct ep_trace *trace = batch->loader->trace;

	for (uint32_t i = 0; i < batch->pending->n_slices; i++) {
		const struct ep_path *leaf = &trace->paths[batch->pending->path_idx[i]];
		const struct ep_path *caller =
			leaf->parent_idx == EP_NONE ? leaf : &trace->paths[leaf->parent_idx];

		sites[i] = ep_hash_mix(caller->module_idx, caller->address);
		/* A slice that began elsewhere has counts of both. */
		places[i] = i && sites[i] != sites[i - 1]
				    ? ep_hash_mix(sites[i], sites[i - 1])
				    : ep_hash_mix(sites[i], ep_hash_mix(leaf->module_idx,
								    leaf->address >> PLACE_SHIFT));
	}
}

static int fill_and_add(struct batch *batch)
{
	uint32_t n_slices = batch->pending->n_slices;
	int rc = 0;

	for (uint32_t i = 0; i < n_slices; i++)
		put_slice(batch, i);
	batch->loader->options->filler->fill(batch->thread->filler, &batch->stretch);
	keep_quality(batch);
	if (batch->stretch.has_changes)
		rc = ep_sums_reserve_replicas(&batch->thread->sums);
	for (uint32_t i = 0; i < n_slices && !rc; i++)
		rc = add_slice(batch, i);
	if (rc)
		return rc;
	add_events(batch);
	return add_to_timelines(batch);
}

int ep_samples_flush(struct loader *loader, struct ep_thread *thread)
{
	struct ep_process *process = &loader->trace->processes[thread->process_idx];
	uint32_t n_slices = thread->pending.n_slices, n_events = process->groups.n_events;
	size_t n_values = (size_t)n_slices * n_events;
	bool uses_places = loader->options->filler->uses_places;
	EP_AUTOFREE double *cpu_us = calloc(n_slices + 1, sizeof(*cpu_us));
	EP_AUTOFREE double *values = calloc(n_values + 1, sizeof(*values));
	EP_AUTOFREE uint8_t *state = calloc(n_values + 1, 1);
	EP_AUTOFREE double *variances = calloc(n_values + 1, sizeof(*variances));
	EP_AUTOFREE struct ep_fill_quality *quality = calloc(n_events + 1, sizeof(*quality));
	EP_AUTOFREE struct ep_value_change *changes =
		uses_places ? calloc(n_values + 1, sizeof(*changes)) : NULL;
	EP_AUTOFREE uint64_t *places =
		uses_places ? calloc(2 * (size_t)n_slices + 1, sizeof(*places)) : NULL;
	struct batch batch = {
		.loader = loader,
		.process = process,
		.thread = thread,
		.pending = &thread->pending,
		.stretch = { .n_slices = n_slices,
			.n_events = n_events,
			.cpu_us = cpu_us,
			.values = values,
			.state = state,
			.variances = variances,
			.quality = quality,
			.places = places,
			.sites = uses_places ? places + n_slices : NULL,
			.changes = changes },
		.n_events = n_events,
	};

	if (!n_slices)
		return 0;
	if (!cpu_us || !values || !state || !variances || !quality ||
		(uses_places && (!changes || !places)) || prepare_filler(&batch) ||
		ep_sums_reserve(&thread->sums, loader->trace->n_events))
		return -ENOMEM;
	for (uint32_t i = 0; i < n_slices; i++)
		cpu_us[i] = (double)(int64_t)thread->pending.samples[i].cpu_us;
	if (uses_places)
		find_places(&batch, places, places + n_slices);
	if (fill_and_add(&batch))
		return -ENOMEM;
	thread->pending.n_slices = 0;
	return 0;
}
