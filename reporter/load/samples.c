// SPDX-License-Identifier: BSD-3-Clause
/* Finds the call path of each sample. Samples wait in their thread until there are enough for the estimator. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/load/event_ticks.h"
#include "reporter/load/loader.h"
#include "reporter/load/time_places.h"

/* Larger times are damage, not a measurement: about 35 years since birth, 12 days for one slice. */
#define TIME_MAX_US (1ull << 50)
#define SLICE_MAX_US (1ull << 40)

bool ep_sample_is_odd(const struct ep_sample *s)
{
	return s->cpu_us > SLICE_MAX_US || s->wall_us > SLICE_MAX_US || s->time_us > TIME_MAX_US;
}

/* The call paths of the nodes of a thread's tree in one epoch; with a new epoch the thread begins a new
 * tree. */
struct node_paths {
	const uint32_t *of_node; /* (n_nodes) EP_NONE: the path is lost */
	uint32_t n_nodes, root_idx, lost_idx;
};

static struct node_paths node_paths(const struct ep_trace_thread *thread, uint32_t epoch)
{
	return (struct node_paths){ thread->path_idx, epoch == thread->epoch ? thread->n_nodes : 0,
		thread->root_path_idx, thread->lost_path_idx };
}

static inline uint32_t path_of(const struct node_paths *paths, uint32_t node_idx)
{
	uint32_t path_idx = node_idx < paths->n_nodes ? paths->of_node[node_idx] : EP_NONE;

	if (!node_idx)
		return paths->root_idx;
	return path_idx == EP_NONE ? paths->lost_idx : path_idx;
}

/* Finds a sample's path. For code made at run time, the path names the code that lay at the address when the
 * sample was taken. 0 or -ENOMEM. */
static int path_of_sample(struct ep_trace *trace, const struct ep_trace_thread *thread,
	uint32_t epoch, const struct ep_sample *s, uint32_t *out_idx)
{
	const struct node_paths paths = node_paths(thread, epoch);

	return ep_path_at(trace, path_of(&paths, s->node_idx), s->time_us, out_idx);
}

void ep_pending_finish(struct ep_pending *pending)
{
	free(pending->samples);
	free(pending->path_idx);
	free(pending->region_idx);
	free(pending->values);
	free(pending->ticks);
	*pending = (struct ep_pending){ 0 };
}

static int grow(void **array, size_t n, size_t element_bytes)
{
	void *bigger = realloc(*array, n * element_bytes + 1);

	if (!bigger)
		return -ENOMEM;
	*array = bigger;
	return 0;
}

static int reserve_places(struct ep_pending *pending, uint32_t n_more)
{
	uint32_t n = pending->n_slices + n_more;

	if (n <= pending->place_capacity)
		return 0;
	n += n / 2;
	if (grow((void **)&pending->path_idx, n, sizeof(*pending->path_idx)) ||
		grow((void **)&pending->region_idx, n, sizeof(*pending->region_idx)))
		return -ENOMEM;
	pending->place_capacity = n;
	return 0;
}

static int reserve(struct ep_pending *pending, uint32_t n_more, uint32_t n_events)
{
	uint32_t n = pending->n_slices + n_more;

	if (n <= pending->capacity)
		return 0;
	n += n / 2;
	if (grow((void **)&pending->samples, n, sizeof(*pending->samples)) ||
		grow((void **)&pending->values, (size_t)n * n_events, sizeof(*pending->values)))
		return -ENOMEM;
	pending->capacity = n;
	return 0;
}

static bool is_outside(const struct ep_trace *trace, const struct ep_trace_thread *thread,
	const struct ep_sample *sample, uint32_t region_idx)
{
	uint64_t end_ns = trace->processes[thread->process_idx].born_ns + sample->time_us * 1000;

	if (!trace->part.is_set)
		return false;
	if (trace->part.region &&
		(region_idx == EP_NONE || !trace->regions.rows[region_idx].is_wanted))
		return true;
	return end_ns <= trace->part.from_ns || end_ns > trace->part.to_ns;
}

static bool is_taken(struct ep_trace *trace, struct ep_trace_thread *thread,
	const struct ep_sample *s, uint32_t region_idx)
{
	if (ep_sample_is_odd(s)) {
		trace->loss.n_odd++;
		return false;
	}
	if (is_outside(trace, thread, s, region_idx)) {
		thread->n_outside++;
		return false;
	}
	return true;
}

/* Sets the paths and regions of slices [from, from + n) of a block, which are appended next. */
static int set_places(struct ep_trace *trace, struct ep_trace_thread *thread,
	const struct ep_samples *samples, uint32_t from, uint32_t n)
{
	const struct node_paths paths = node_paths(thread, samples->epoch);
	struct ep_pending *pending = &thread->pending;
	const struct ep_sample *rows = samples->samples + from;
	uint32_t *path_idx = pending->path_idx + pending->n_slices;
	uint32_t *region_idx = pending->region_idx + pending->n_slices;
	uint64_t n_lost = 0;

	for (uint32_t i = 0; i < n; i++) {
		path_idx[i] = path_of(&paths, rows[i].node_idx);
		n_lost += path_idx[i] == paths.lost_idx;
	}
	trace->loss.n_without_path += n_lost;
	for (uint32_t i = 0; i < n; i++)
		region_idx[i] = ep_region_of_slice(&thread->regions, from + i);
	for (uint32_t i = 0; trace->knows_codes && i < n; i++)
		if (ep_path_at(trace, path_idx[i], rows[i].time_us, &path_idx[i]))
			return -ENOMEM;
	return 0;
}

static int append_run(struct ep_trace *trace, struct ep_trace_thread *thread,
	const struct ep_samples *samples, uint32_t from, uint32_t n)
{
	struct ep_pending *pending = &thread->pending;
	uint32_t n_events = trace->processes[thread->process_idx].groups.n_events;

	if (!n)
		return 0;
	if (reserve(pending, n, n_events))
		return -ENOMEM;
	memcpy(pending->samples + pending->n_slices, samples->samples + from,
		n * sizeof(*samples->samples));
	memcpy(pending->values + (size_t)pending->n_slices * n_events,
		samples->values + (size_t)from * n_events,
		(size_t)n * n_events * sizeof(*samples->values));
	if (set_places(trace, thread, samples, from, n))
		return -ENOMEM;
	pending->n_slices += n;
	return 0;
}

/* Takes over a block's arrays without copying them: used where no slice of the thread is pending. */
static int take_over(
	struct ep_trace *trace, struct ep_trace_thread *thread, struct ep_samples *samples)
{
	struct ep_pending *pending = &thread->pending;

	if (set_places(trace, thread, samples, 0, samples->n_samples))
		return -ENOMEM;
	free(pending->samples);
	free(pending->values);
	pending->samples = samples->samples;
	pending->values = samples->values;
	pending->n_slices = pending->capacity = samples->n_samples;
	samples->samples = NULL;
	samples->values = NULL;
	return 0;
}

/* Appends a slice that the clock ended, together with the earlier slices of its window that events ended. */
static int append_window(struct ep_trace *trace, struct ep_trace_thread *thread,
	const struct ep_samples *samples, uint32_t i)
{
	struct ep_pending *pending = &thread->pending;

	if (append_run(trace, thread, samples, i, 1))
		return -ENOMEM;
	ep_window_close(&thread->window, &pending->samples[pending->n_slices - 1],
		pending->values + (size_t)(pending->n_slices - 1) * thread->window.n_events);
	return 0;
}

/* Takes a slice that an event ended, or a slice that ends a window with such slices. */
static int append_of_window(struct loader *loader, struct ep_trace_thread *thread,
	const struct ep_samples *samples, uint32_t i)
{
	struct ep_trace *trace = loader->trace;
	const struct ep_sample *s = &samples->samples[i];
	uint32_t n_events = trace->processes[thread->process_idx].groups.n_events, path_idx;

	if (path_of_sample(trace, thread, samples->epoch, s, &path_idx))
		return -ENOMEM;
	if (s->flags & EP_SAMPLE_IN_CALL && ep_time_places_see_call(loader, thread, s, path_idx))
		return -ENOMEM;
	if (s->flags & EP_SAMPLE_AT_EVENT)
		return ep_window_take(
			thread, s, path_idx, n_events, samples->values + (size_t)i * n_events);
	return append_window(trace, thread, samples, i);
}

/* Tells whether it is clear that no slice of a block is left out: the whole run is loaded, and no time in the
 * block is so long that it must be damaged. *out_flags gets the flags that any of the slices has. */
static bool are_all_taken(
	const struct ep_trace *trace, const struct ep_samples *samples, uint32_t *out_flags)
{
	uint64_t slice_us = 0, time_us = 0;
	uint32_t flags = 0;

	for (uint32_t i = 0; i < samples->n_samples; i++) {
		const struct ep_sample *s = &samples->samples[i];

		flags |= s->flags;
		slice_us |= s->cpu_us | s->wall_us;
		time_us |= s->time_us;
	}
	*out_flags = flags;
	return !trace->part.is_set && slice_us < SLICE_MAX_US && time_us < TIME_MAX_US;
}

static int append(struct loader *loader, struct ep_trace_thread *thread, struct ep_samples *samples)
{
	struct ep_trace *trace = loader->trace;
	uint32_t from = 0, flags;
	bool are_wanted = are_all_taken(trace, samples, &flags);

	if (are_wanted && !(flags & EP_SAMPLE_AT_EVENT) && !thread->window.n_slices)
		return thread->pending.n_slices
			       ? append_run(trace, thread, samples, 0, samples->n_samples)
			       : take_over(trace, thread, samples);
	for (uint32_t i = 0; i < samples->n_samples; i++) {
		bool is_wanted = are_wanted || is_taken(trace, thread, &samples->samples[i],
						       ep_region_of_slice(&thread->regions, i));
		bool is_of_event = samples->samples[i].flags & EP_SAMPLE_AT_EVENT;

		if (is_wanted && !is_of_event && !thread->window.n_slices)
			continue;
		if (append_run(trace, thread, samples, from, i - from))
			return -ENOMEM;
		from = i + 1;
		if (!is_wanted && !is_of_event)
			ep_window_drop(thread);
		if (is_wanted && append_of_window(loader, thread, samples, i))
			return -ENOMEM;
	}
	return append_run(trace, thread, samples, from, samples->n_samples - from);
}

/* The most memory for pending slices of all threads together, as long as that is enough for the filler. */
#define PENDING_BYTES (64 << 20)

/* A filler that has learnt enough gets at most this many slices of each group at a time: tables that fit a
 * core's cache are read faster. */
#define LEARNT_SLICES_OF_GROUP 1024

static uint32_t most_slices(const struct loader *loader, const struct ep_trace_process *process)
{
	const struct ep_filler_ops *filler = loader->options->filler;
	uint32_t most = filler->n_slices_most,
		 of_groups = LEARNT_SLICES_OF_GROUP * process->groups.n_groups;

	return filler->learn && process->n_learnt >= EP_ENOUGH_LEARNT && of_groups < most
		       ? of_groups
		       : most;
}

/* Returns how many slices of a thread wait before they go to the filler. */
static uint32_t stretch_slices(const struct loader *loader, const struct ep_trace_process *process)
{
	uint32_t least = loader->options->filler->n_slices, most = most_slices(loader, process);
	size_t slice_bytes = sizeof(struct ep_sample) + sizeof(uint32_t) +
			     process->groups.n_events * sizeof(uint64_t);
	/* 0 where a file is given twice, since the file's threads exist already */
	uint32_t n_threads = loader->trace->n_threads - loader->trace->first_thread_of_file;
	size_t n = PENDING_BYTES / slice_bytes / (n_threads ? n_threads : 1);

	if (n < least || most < least)
		return least;
	return n < most ? (uint32_t)n : most;
}

#define SEEDS_OF_RANK (1u << 20)

static uint64_t seed_of(const struct ep_trace *trace, const struct ep_trace_thread *thread)
{
	uint64_t rank =
		ep_trace_process_number(&trace->processes[thread->process_idx], EP_META_RANK, 0);

	return (uint64_t)(thread - trace->threads) - trace->first_thread_of_file +
	       rank * SEEDS_OF_RANK;
}

static int take(struct loader *loader, uint32_t process_idx, struct ep_samples *samples)
{
	uint32_t idx;
	struct ep_trace_thread *thread;

	if (ep_trace_thread_find_or_add(loader, process_idx, samples->thread, &idx))
		return -ENOMEM;
	thread = &loader->trace->threads[idx];
	thread->next_slice = samples->first_slice + samples->n_samples;
	thread->n_got += samples->n_samples;
	thread->seed = seed_of(loader->trace, thread);
	if (!thread->is_wanted || loader->options->skip_samples)
		return 0;
	if (reserve_places(&thread->pending, samples->n_samples) ||
		ep_thread_regions_follow(&loader->trace->regions, &thread->regions,
			samples->first_slice, samples->n_samples) ||
		ep_block_sums_see(loader, thread, samples))
		return -ENOMEM;
	if (append(loader, thread, samples))
		return -ENOMEM;
	if (thread->pending.n_slices <
		stretch_slices(loader, &loader->trace->processes[process_idx]))
		return 0;
	return ep_samples_flush(loader, thread);
}

int ep_samples_take(struct loader *loader, uint32_t process_idx, const struct ep_block *block)
{
	struct ep_samples samples;
	int rc = ep_samples_decode(block, &loader->trace->processes[process_idx].groups, &samples);

	if (rc)
		return rc;
	rc = take(loader, process_idx, &samples);
	free(samples.samples);
	free(samples.values);
	return rc;
}
