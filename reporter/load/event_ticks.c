// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/load/event_ticks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/load/mixing.h"

/* ---- the window that is open ---- */

/* Adds two counts; a sum with a damaged count is marked as damaged (UINT64_MAX), since adding would hide the
 * damage. */
static uint64_t add_counts(uint64_t a, uint64_t b)
{
	return a > INT64_MAX || b > INT64_MAX ? UINT64_MAX : a + b;
}

static int reserve_values(struct ep_window *window, uint32_t n_events)
{
	if (window->values && window->n_events == n_events)
		return 0;
	free(window->values);
	*window = (struct ep_window){ .n_events = n_events,
		.values = calloc(n_events + 1, sizeof(*window->values)) };
	return window->values ? 0 : -ENOMEM;
}

static int add_tick(struct ep_pending *pending, uint32_t flags, uint32_t path_idx)
{
	int trigger = ep_sample_trigger(flags);

	if (trigger < 0)
		return 0;
	if (EP_ARRAY_RESERVE(pending->ticks, pending->n_ticks, pending->tick_capacity))
		return -ENOMEM;
	pending->ticks[pending->n_ticks++] = (struct ep_event_tick){ pending->n_slices, path_idx,
		(uint8_t)trigger, (uint8_t)ep_sample_rarity(flags) };
	return 0;
}

/* Adds a slice's counts and times to those of the other slices of its window. If the counters did not run in
 * the slice, its time becomes idle time of the window, for which counts are estimated later: if the whole
 * window were left out, the counts of its other slices would be lost. */
static void add_slice(struct ep_window *window, const struct ep_sample *s, const uint64_t *values)
{
	bool did_run = !(s->flags & EP_SAMPLE_NOT_RUN);

	window->n_slices++;
	window->n_not_run += !did_run;
	window->cpu_us += s->cpu_us;
	window->wall_us += s->wall_us;
	window->idle_us += did_run ? s->idle_us : s->cpu_us;
	window->flags |= s->flags & EP_SAMPLE_INCOMPLETE;
	for (uint32_t e = 0; did_run && e < window->n_events; e++)
		window->values[e] = add_counts(window->values[e], values[e]);
}

int ep_window_take(struct ep_trace_thread *thread, const struct ep_sample *sample,
	uint32_t path_idx, uint32_t n_events, const uint64_t *values)
{
	struct ep_window *window = &thread->window;

	if (reserve_values(window, n_events) || add_tick(&thread->pending, sample->flags, path_idx))
		return -ENOMEM;
	add_slice(window, sample, values);
	thread->n_event_ticks++;
	thread->n_counted_ticks += ep_sample_trigger(sample->flags) >= 0;
	return 0;
}

static void empty(struct ep_window *window)
{
	memset(window->values, 0, window->n_events * sizeof(*window->values));
	*window = (struct ep_window){ .n_events = window->n_events, .values = window->values };
}

void ep_window_close(struct ep_window *window, struct ep_sample *sample, uint64_t *values)
{
	if (!window->n_slices)
		return;
	add_slice(window, sample, values);
	sample->cpu_us = window->cpu_us;
	sample->wall_us = window->wall_us;
	sample->flags |= window->flags;
	if (window->n_not_run < window->n_slices) {
		sample->idle_us = window->idle_us;
		sample->flags &= ~(uint32_t)EP_SAMPLE_NOT_RUN;
	}
	memcpy(values, window->values, window->n_events * sizeof(*values));
	empty(window);
}

void ep_window_drop(struct ep_trace_thread *thread)
{
	struct ep_pending *pending = &thread->pending;

	while (pending->n_ticks &&
		pending->ticks[pending->n_ticks - 1].slice_idx == pending->n_slices)
		pending->n_ticks--;
	if (thread->window.n_slices)
		empty(&thread->window);
}

void ep_event_ticks_keep_open(struct ep_pending *pending)
{
	uint32_t n_kept = 0;

	for (uint32_t i = 0; i < pending->n_ticks; i++)
		if (pending->ticks[i].slice_idx == pending->n_slices) {
			pending->ticks[n_kept] = pending->ticks[i];
			pending->ticks[n_kept++].slice_idx = 0;
		}
	pending->n_ticks = n_kept;
}

/* ---- a batch of windows ---- */

/* The number of windows in a chunk. A chunk has some windows of each trigger; the shares of the triggers in
 * its time are taken as constant within the chunk. */
enum { CHUNK_SLICES = 1024 };

/* The slices [from, to) of a batch, and for how much of their time each event was the trigger. */
struct chunk {
	uint32_t from, to;
	double cpu_us;
	double armed_us[EP_TRACE_MAX_EVENTS]; /* (n_events) of the process's events */
};

/* Returns the index of the event that was the slice's trigger; -1: no event of the process was, or the
 * counters did not run. */
static int trigger_of(const struct slice_batch *batch, uint32_t i)
{
	const struct ep_sample *s = &batch->pending->samples[i];
	int trigger = ep_sample_trigger(s->flags);

	return trigger < (int)batch->n_events && !ep_is_dead(s) ? trigger : -1;
}

static int add_armed(struct ep_trace_thread *thread, uint32_t event, uint64_t us)
{
	uint64_t *bigger;

	if (event >= thread->n_armed) {
		bigger = realloc(thread->armed_us, (event + 1) * sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		memset(bigger + thread->n_armed, 0,
			(event + 1 - thread->n_armed) * sizeof(*bigger));
		thread->armed_us = bigger;
		thread->n_armed = event + 1;
	}
	thread->armed_us[event] += us;
	return 0;
}

static int measure(struct slice_batch *batch, struct chunk *chunk)
{
	for (uint32_t i = chunk->from; i < chunk->to; i++) {
		uint64_t us = batch->pending->samples[i].cpu_us;
		int trigger = trigger_of(batch, i);

		chunk->cpu_us += (double)us;
		if (trigger < 0)
			continue;
		chunk->armed_us[trigger] += (double)us;
		if (add_armed(batch->thread, batch->process->event_idx[trigger], us))
			return -ENOMEM;
	}
	return 0;
}

/* Returns the replica that leaves out a window with all its ticks: the ticks of a window are not independent,
 * since they depend on the code that ran in the window. */
static uint32_t replica_of(const struct slice_batch *batch, uint32_t slice_idx)
{
	uint64_t thread = batch->thread->seed;

	return (uint32_t)(ep_hash_mix(thread, batch->thread->n_windows + slice_idx) >> 32) %
	       EP_N_REPLICAS;
}

static struct ep_tick_sum *sum_of(struct slice_batch *batch, uint32_t path_idx, uint32_t e)
{
	struct ep_trace *trace = batch->loader->trace;
	struct ep_path_cost *cost = ep_path_cost_of(trace, path_idx);

	if (!cost || ep_tick_sums_reserve(&cost->ticks, trace->n_events))
		return NULL;
	return &cost->ticks.rows[batch->process->event_idx[e]];
}

static void add(struct ep_window_sum *sum, uint32_t replica, double weight)
{
	sum->all += weight;
	sum->by_replica[replica] += (float)weight;
}

/* ---- predictions of ticks from windows ---- */

/* Tells whether a path is a place. The slice that a thread's end cuts short has the root as its path, which
 * is no place. */
static bool has_place(const struct slice_batch *batch, uint32_t path_idx)
{
	return path_idx != EP_PATH_ROOT && path_idx != batch->thread->root_path_idx;
}

static uint32_t path_before(const struct slice_batch *batch, uint32_t i)
{
	return i ? batch->pending->path_idx[i - 1] : batch->thread->last_path_idx;
}

/* Finds the paths in which window i began and ended. If one is not known, the other is taken for both.
 * Returns false if neither is known. */
static bool find_ends(const struct slice_batch *batch, uint32_t i, uint32_t out_paths[2])
{
	out_paths[0] = path_before(batch, i);
	out_paths[1] = batch->pending->path_idx[i];
	for (int k = 0; k < 2; k++)
		if (!has_place(batch, out_paths[k]))
			out_paths[k] = out_paths[!k];
	return has_place(batch, out_paths[0]);
}

static bool is_measured(const struct slice_batch *batch, uint32_t i, uint32_t e)
{
	return batch->stretch.state[(size_t)i * batch->n_events + e] == EP_VALUE_MEASURED;
}

/* Tells whether two paths are different places of a kind. Where places have no names, each path is a place. */
static bool is_parted(const struct ep_trace *trace, const uint32_t paths[2], int kind)
{
	uint32_t from = trace->paths[paths[0]].places[kind];

	return from == EP_NONE ? paths[0] != paths[1] : from != trace->paths[paths[1]].places[kind];
}

static void add_parted(const struct ep_trace *trace, const uint32_t paths[2], double count,
	struct ep_tick_sum *sum)
{
	for (int kind = 0; kind < EP_N_PLACE_KINDS; kind++)
		if (is_parted(trace, paths, kind))
			sum->parted[kind] += count;
}

/* Adds half of the count of window i, times weight, to the path at either end. */
static int foretell(struct slice_batch *batch, uint32_t i, uint32_t e, double weight)
{
	double count = weight * batch->stretch.values[(size_t)i * batch->n_events + e];
	uint32_t paths[2];

	if (!find_ends(batch, i, paths))
		return 0;
	if (ep_name_places(batch->loader, paths, 2))
		return -ENOMEM;
	for (int k = 0; k < 2; k++) {
		struct ep_tick_sum *sum = sum_of(batch, paths[k], e);

		if (!sum)
			return -ENOMEM;
		add(&sum->foretold, replica_of(batch, i), count / 2);
		add_parted(batch->loader->trace, paths, count, sum);
	}
	return 0;
}

/* Adds the predictions of the windows that measured the event, scaled to all of the chunk's time. */
static int foretell_event(struct slice_batch *batch, const struct chunk *chunk, uint32_t e)
{
	double measured_us = 0;

	for (uint32_t i = chunk->from; i < chunk->to; i++)
		if (is_measured(batch, i, e))
			measured_us += (double)batch->pending->samples[i].cpu_us;
	for (uint32_t i = chunk->from; i < chunk->to && measured_us > 0; i++)
		if (is_measured(batch, i, e) && foretell(batch, i, e, chunk->cpu_us / measured_us))
			return -ENOMEM;
	return 0;
}

/* Adds the predictions for events that were armed; other events have no ticks to compare with. */
static int foretell_all(struct slice_batch *batch, const struct chunk *chunk)
{
	for (uint32_t e = 0; e < batch->n_events; e++)
		if (chunk->armed_us[e] > 0 && foretell_event(batch, chunk, e))
			return -ENOMEM;
	return 0;
}

static int foretell_tick(struct slice_batch *batch, const struct ep_event_tick *tick, double weight)
{
	uint32_t paths[2];

	if (!find_ends(batch, tick->slice_idx, paths))
		return 0;
	for (int k = 0; k < 2; k++) {
		struct ep_tick_sum *sum = sum_of(batch, paths[k], tick->trigger);

		if (!sum)
			return -ENOMEM;
		add(&sum->of_ticks, replica_of(batch, tick->slice_idx), weight / 2);
	}
	return 0;
}

static bool counts(const struct slice_batch *batch, const struct chunk *chunk,
	const struct ep_event_tick *tick)
{
	return trigger_of(batch, tick->slice_idx) == tick->trigger &&
	       chunk->armed_us[tick->trigger] > 0;
}

/* Returns how many occurrences a tick stands for: 2^rarity, times the chunk's time divided by the time in
 * which the event was armed. */
static double weight_of(const struct chunk *chunk, const struct ep_event_tick *tick)
{
	return ldexp(chunk->cpu_us / chunk->armed_us[tick->trigger], tick->rarity);
}

static int add_tick_to_path(
	struct slice_batch *batch, const struct ep_event_tick *tick, double weight)
{
	struct ep_tick_sum *sum = sum_of(batch, tick->path_idx, tick->trigger);

	if (!sum)
		return -ENOMEM;
	add(&sum->met, replica_of(batch, tick->slice_idx), weight);
	sum->squares += weight * weight;
	sum->n_ticks++;
	return foretell_tick(batch, tick, weight);
}

/* Larger weights come from damaged traces only; their fourth powers could be above the largest number that is
 * accepted in a reduced file. */
#define MOST_WEIGHT 1e24

/* Adds the size of a window to the path in which the window began. tick is one of its ticks; weight and
 * squares are the sums of its ticks' weights and squared weights. */
static int add_size(
	struct slice_batch *batch, const struct ep_event_tick *tick, double weight, double squares)
{
	double square = pow(fmin(weight, MOST_WEIGHT), 2);
	uint32_t paths[2];
	struct ep_tick_sum *sum;

	if (!find_ends(batch, tick->slice_idx, paths))
		return 0;
	sum = sum_of(batch, paths[0], tick->trigger);
	if (!sum)
		return -ENOMEM;
	squares = fmin(squares, square);
	sum->sizes.of_ticks += squares * squares;
	if (!is_parted(batch->loader->trace, paths, EP_PLACE_PROCEDURE))
		return 0;
	sum->sizes.both += squares * square;
	sum->sizes.squares += square;
	sum->sizes.fourths += square * square;
	return 0;
}

/* Adds the n ticks of one window. 0 or -ENOMEM. */
static int add_window(struct slice_batch *batch, const struct chunk *chunk,
	const struct ep_event_tick *ticks, uint32_t n)
{
	double weights = 0, squares = 0;

	for (uint32_t i = 0; i < n; i++) {
		double weight;

		if (!counts(batch, chunk, &ticks[i]))
			continue;
		weight = weight_of(chunk, &ticks[i]);
		if (add_tick_to_path(batch, &ticks[i], weight))
			return -ENOMEM;
		weights += weight;
		squares += weight * weight;
	}
	return weights > 0 ? add_size(batch, &ticks[0], weights, squares) : 0;
}

static uint32_t n_of_window(const struct ep_pending *pending, uint32_t first)
{
	uint32_t t = first;

	while (t < pending->n_ticks &&
		pending->ticks[t].slice_idx == pending->ticks[first].slice_idx)
		t++;
	return t - first;
}

int ep_event_ticks_add(struct slice_batch *batch)
{
	const struct ep_pending *pending = batch->pending;
	uint32_t n = batch->stretch.n_slices, t = 0;

	for (uint32_t from = 0, to; batch->has_triggers && from < n; from = to) {
		/* windows that remain after the last full chunk belong to that chunk */
		struct chunk chunk = { .from = from,
			.to = n - from < 2 * CHUNK_SLICES ? n : from + CHUNK_SLICES };

		to = chunk.to;
		if (measure(batch, &chunk) || foretell_all(batch, &chunk))
			return -ENOMEM;
		while (t < pending->n_ticks && pending->ticks[t].slice_idx < to) {
			uint32_t n_ticks = n_of_window(pending, t);

			if (add_window(batch, &chunk, &pending->ticks[t], n_ticks))
				return -ENOMEM;
			t += n_ticks;
		}
	}
	batch->thread->n_windows += n;
	return 0;
}
