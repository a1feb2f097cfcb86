// SPDX-License-Identifier: BSD-3-Clause
/* Samples go to the call path they ended in, to their thread, to the timeline; then they are
 * forgotten. */
#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "reporter/load/internal.h"

/* Beyond these the times are damage, not a measurement: 30 years, 12 days of one slice. */
#define TIME_MAX_US (1ull << 50)
#define SLICE_MAX_US (1ull << 40)

struct batch {
	struct loader *loader;
	struct ep_process *process;
	struct ep_thread *thread;
	const struct ep_samples *samples;
	struct ep_stretch stretch;
	uint32_t n_events;
};

static bool is_odd(const struct ep_sample *s)
{
	return s->cpu_us > SLICE_MAX_US || s->wall_us > SLICE_MAX_US || s->time_us > TIME_MAX_US;
}

static bool is_measured(const struct batch *batch, uint32_t i, uint32_t e)
{
	const struct ep_sample *s = &batch->samples->samples[i];
	const struct ep_groups *groups = &batch->process->groups;

	return groups->n_groups && groups->holds[(size_t)s->group * groups->n_events + e] &&
	       !(s->flags & EP_SAMPLE_NOT_RUN) && (!s->idle_us || s->idle_us < s->cpu_us);
}

static void put_slice(struct batch *batch, uint32_t i)
{
	struct ep_stretch *stretch = &batch->stretch;
	const struct ep_sample *s = &batch->samples->samples[i];
	size_t at = (size_t)i * batch->n_events;

	((double *)stretch->cpu_us)[i] = is_odd(s) ? 0 : (double)s->cpu_us;
	for (uint32_t e = 0; e < batch->n_events; e++, at++) {
		if (!is_measured(batch, i, e))
			continue;
		stretch->values[at] = (double)batch->samples->values[at];
		/* another user of the PMU: counted for a part of the slice */
		if (s->idle_us)
			stretch->values[at] *= (double)s->cpu_us / (double)(s->cpu_us - s->idle_us);
		stretch->state[at] = EP_VALUE_MEASURED;
	}
}

static struct ep_event_sum sum_of(const struct batch *batch, uint32_t i, uint32_t e)
{
	uint64_t us = batch->samples->samples[i].cpu_us;
	size_t at = (size_t)i * batch->n_events + e;
	double value = batch->stretch.values[at], counted = (double)batch->samples->values[at];

	switch (batch->stretch.state[at]) {
	case EP_VALUE_MEASURED:
		return (struct ep_event_sum){
			.measured = counted, .filled = value - counted, .measured_us = us
		};
	case EP_VALUE_FILLED:
		return (struct ep_event_sum){ .filled = value, .filled_us = us };
	default:
		return (struct ep_event_sum){ .missing_us = us };
	}
}

static void add_values(struct batch *batch, uint32_t i, struct ep_sums *path_sums)
{
	struct ep_event_info *events = batch->loader->trace->events;

	for (uint32_t e = 0; e < batch->n_events; e++) {
		uint32_t event = batch->process->event_idx[e];
		struct ep_event_sum sum = sum_of(batch, i, e);

		events[event].n_slices++;
		events[event].n_slices_measured +=
			batch->stretch.state[(size_t)i * batch->n_events + e] == EP_VALUE_MEASURED;
		ep_event_sum_add(&batch->thread->sums.rows[event], &sum);
		ep_event_sum_add(&path_sums->rows[event], &sum);
	}
}

/* A user-mode clock ticks once per period of CPU time but is heard only in user mode: a slice of
 * several periods was in the kernel at the ticks between. */
static struct ep_cost cost_of(const struct batch *batch, const struct ep_sample *s)
{
	uint64_t period = batch->process->groups.period_us;
	struct ep_cost cost = { .n_samples = 1, .cpu_us = s->cpu_us };

	if (batch->process->hides_kernel && period && s->cpu_us > period + period / 2) {
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
}

static void count_flags(struct ep_loss *loss, const struct ep_sample *s)
{
	loss->n_not_run += !!(s->flags & EP_SAMPLE_NOT_RUN);
	loss->n_incomplete += !!(s->flags & EP_SAMPLE_INCOMPLETE);
	loss->n_cut_stacks += !!(s->flags & EP_SAMPLE_DEEP);
	loss->n_broken_stacks += !!(s->flags & EP_SAMPLE_BROKEN);
	loss->idle_us += s->idle_us;
}

static uint32_t path_of(const struct batch *batch, const struct ep_sample *s)
{
	const struct ep_thread *thread = batch->thread;

	if (!s->node_idx)
		return EP_PATH_ROOT;
	if (batch->samples->epoch != thread->epoch || s->node_idx >= thread->n_nodes ||
		thread->path_idx[s->node_idx] == EP_NONE)
		return EP_PATH_LOST;
	return thread->path_idx[s->node_idx];
}

static int add_to_timelines(struct batch *batch, uint32_t i)
{
	struct ep_trace *trace = batch->loader->trace;
	const struct ep_sample *s = &batch->samples->samples[i];
	uint64_t birth_us = batch->process->key.birth_ns / 1000;
	struct ep_slice_place place = {
		.from_us = birth_us + (s->wall_us < s->time_us ? s->time_us - s->wall_us : 0),
		.to_us = birth_us + s->time_us,
		.cpu_us = (double)s->cpu_us,
		.counts = batch->stretch.values + (size_t)i * batch->n_events,
		.event_idx = batch->process->event_idx,
		.n_events = batch->n_events,
	};
	int rc = ep_timeline_add(&trace->timeline, EP_TIMELINE_BINS, trace->n_events, &place);

	place.counts = NULL;
	if (s->time_us > batch->process->last_us)
		batch->process->last_us = s->time_us;
	return rc ? rc : ep_timeline_add(&batch->thread->timeline, EP_THREAD_BINS, 0, &place);
}

static int take_sample(struct batch *batch, uint32_t i)
{
	struct ep_trace *trace = batch->loader->trace;
	const struct ep_sample *s = &batch->samples->samples[i];
	struct ep_cost cost = cost_of(batch, s);
	struct ep_path_cost *path_cost = NULL;
	uint32_t path_idx;

	if (is_odd(s)) {
		trace->loss.n_odd++;
		return 0;
	}
	path_idx = path_of(batch, s);
	trace->loss.n_without_path += path_idx == EP_PATH_LOST;
	path_cost = ep_path_cost_of(trace, path_idx);
	if (!path_cost || ep_sums_reserve(&path_cost->sums, trace->n_events))
		return -ENOMEM;
	add_cost(&path_cost->cost, &cost);
	add_cost(&batch->thread->cost, &cost);
	batch->thread->wall_us += s->wall_us;
	count_flags(&trace->loss, s);
	add_values(batch, i, &path_cost->sums);
	return add_to_timelines(batch, i);
}

static void count_gap(struct ep_thread *thread, const struct ep_samples *samples)
{
	thread->next_slice = samples->first_slice + samples->n_samples;
	thread->n_got += samples->n_samples;
}

static int prepare_filler(struct batch *batch)
{
	const struct ep_filler_ops *filler = batch->loader->options->filler;
	struct ep_process *process = batch->process;

	if (!process->filler)
		process->filler = filler->process_create(process->groups.n_events);
	if (process->filler && !batch->thread->filler)
		batch->thread->filler = filler->thread_create(process->filler);
	return batch->thread->filler ? 0 : -ENOMEM;
}

static int take_batch(struct batch *batch)
{
	uint32_t n_samples = batch->samples->n_samples;
	size_t n_values = (size_t)n_samples * batch->n_events;
	EP_AUTOFREE double *cpu_us = calloc(n_samples + 1, sizeof(*cpu_us));
	EP_AUTOFREE double *values = calloc(n_values + 1, sizeof(*values));
	EP_AUTOFREE uint8_t *state = calloc(n_values + 1, 1);
	int rc = 0;

	if (!cpu_us || !values || !state || prepare_filler(batch))
		return -ENOMEM;
	if (ep_sums_reserve(&batch->thread->sums, batch->loader->trace->n_events))
		return -ENOMEM;
	batch->stretch = (struct ep_stretch){ n_samples, batch->n_events, cpu_us, values, state };
	for (uint32_t i = 0; i < n_samples; i++)
		put_slice(batch, i);
	batch->loader->options->filler->fill(batch->thread->filler, &batch->stretch);
	for (uint32_t i = 0; i < n_samples && !rc; i++)
		rc = take_sample(batch, i);
	return rc;
}

int ep_samples_take(struct loader *loader, uint32_t process_idx, const struct ep_block *block)
{
	struct ep_process *process = &loader->trace->processes[process_idx];
	struct ep_samples samples;
	struct batch batch = { .loader = loader, .process = process, .samples = &samples };
	uint32_t idx;
	int rc = ep_samples_decode(block, &process->groups, &samples);

	if (rc)
		return rc;
	rc = ep_thread_find_or_add(loader, process_idx, samples.thread, &idx);
	if (!rc) {
		batch.thread = &loader->trace->threads[idx];
		batch.n_events = process->groups.n_events;
		count_gap(batch.thread, &samples);
		if (batch.thread->is_wanted && !loader->options->skip_samples)
			rc = take_batch(&batch);
	}
	free(samples.samples);
	free(samples.values);
	return rc;
}
