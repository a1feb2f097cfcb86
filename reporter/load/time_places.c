// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/load/time_places.h"

#include <errno.h>
#include <math.h>

#include "common/cleanup.h"
#include "reporter/load/rank_costs.h"

/* Tells whether a tick may be given another weight. A slice with hidden or stolen time stands for a full
 * period already (batch_add.c), so that its tick keeps its weight. */
static bool is_whole(const struct ep_sample *sample, const struct ep_cost *cost)
{
	return cost->cpu_us == sample->cpu_us && !cost->not_system_us;
}

void ep_time_places_see_end(struct ep_thread_ends *ends, const struct ep_sample *sample,
	uint32_t path_idx, const struct ep_cost *cost)
{
	if (sample->flags & EP_SAMPLE_CUT) {
		if (ends->tail.path_idx != path_idx)
			ends->tail.us = 0;
		ends->tail.path_idx = path_idx;
		ends->tail.us += cost->cpu_us;
		return;
	}
	if (!ends->has_tick) {
		ends->before = ends->tail;
		if (is_whole(sample, cost))
			ends->first = (struct ep_thread_end){ path_idx, cost->cpu_us };
	}
	ends->has_tick = true;
	ends->tail = (struct ep_thread_end){ 0 };
}

static struct ep_path_cost *cost_at(struct ep_trace *trace, uint32_t path_idx)
{
	uint32_t cost_idx = trace->paths[path_idx].cost_idx;

	return cost_idx == EP_NONE ? NULL : &trace->costs[cost_idx];
}

/* Tells whether a thread's time may be moved: its first tick came at a random time, and its slices are
 * distributed over places. */
static bool is_drawn(const struct ep_trace *trace, const struct ep_trace_thread *thread)
{
	const struct ep_trace_process *process = &trace->processes[thread->process_idx];

	return process->has_random_first_tick && !process->is_simulated && !process->has_costs &&
	       process->window_us;
}

static int64_t untold_us(const struct ep_trace *trace, const struct ep_trace_thread *thread)
{
	const struct ep_thread_ends *ends = &thread->ends;
	int64_t us = (int64_t)(ends->tail.us + ends->before.us);

	if (!is_drawn(trace, thread))
		return 0;
	if (ends->first.us)
		us += (int64_t)ends->first.us -
		      (int64_t)trace->processes[thread->process_idx].window_us;
	return us;
}

static void take_from(struct ep_trace *trace, const struct ep_thread_end *end)
{
	struct ep_path_cost *cost = end->us ? cost_at(trace, end->path_idx) : NULL;

	if (!cost)
		return;
	cost->cost.cpu_us -= end->us < cost->cost.cpu_us ? end->us : cost->cost.cpu_us;
	cost->squares = fmax(cost->squares - (double)end->us * (double)end->us, 0);
}

/* Gives the first tick the weight of a full window, since it fell on a random moment of that window. */
static void stand_for(struct ep_path_cost *cost, uint64_t first_us, uint64_t window_us)
{
	double first = (double)first_us, window = (double)window_us;

	cost->cost.cpu_us += window_us - first_us;
	cost->squares = fmax(cost->squares + window * window - first * first, 0);
}

static void move(struct ep_trace *trace, const struct ep_trace_thread *thread)
{
	const struct ep_thread_ends *ends = &thread->ends;
	struct ep_path_cost *cost;

	if (!is_drawn(trace, thread))
		return;
	take_from(trace, &ends->tail);
	take_from(trace, &ends->before);
	cost = ends->first.us ? cost_at(trace, ends->first.path_idx) : NULL;
	if (cost)
		stand_for(cost, ends->first.us, trace->processes[thread->process_idx].window_us);
}

/* Moves a rank's time in the same way as move() moves the path's time for the ends of threads. */
static void move_rank(struct ep_trace *trace, const struct ep_trace_thread *thread)
{
	const struct ep_thread_ends *ends = &thread->ends;
	const struct ep_thread_end *const taken[] = { &ends->tail, &ends->before };
	uint32_t thread_idx = (uint32_t)(thread - trace->threads);
	struct ep_rank_cost *cost;

	if (!is_drawn(trace, thread))
		return;
	for (size_t i = 0; i < EP_ARRAY_SIZE(taken); i++) {
		cost = taken[i]->us ? ep_rank_cost_find(trace, thread_idx, taken[i]->path_idx)
				    : NULL;
		if (cost)
			cost->us -= taken[i]->us < cost->us ? taken[i]->us : cost->us;
	}
	cost = ends->first.us ? ep_rank_cost_find(trace, thread_idx, ends->first.path_idx) : NULL;
	if (cost)
		cost->us += trace->processes[thread->process_idx].window_us - ends->first.us;
}

/* ---- kinds of time by how they are known ---- */

enum kind {
	BY_CLOCK, /* time from the clock's ticks */
	HIDDEN,   /* time on paths named [kernel], beneath the paths of the ticks around it */
	BY_CALLS, /* time from ticks that look for system calls and find one, or a page fault */
	N_KINDS,
};

static uint64_t *time_of(struct ep_path_cost *cost, enum kind kind)
{
	bool is_kernel = cost->cost.hidden_us > 0;

	if (kind == BY_CALLS)
		return &cost->calls_us;
	return (kind == HIDDEN) == is_kernel ? &cost->cost.cpu_us : NULL;
}

/* Scales the squares, since each sample stands for factor times as much. */
static void scale_squares(struct ep_path_cost *cost, enum kind kind, double factor)
{
	double *squares = kind == BY_CALLS ? &cost->calls_squares : &cost->squares;

	*squares *= factor * factor;
}

static uint64_t sum_us(struct ep_trace *trace, enum kind kind)
{
	uint64_t us = 0;

	for (uint32_t i = 0; i < trace->n_costs; i++) {
		const uint64_t *time = time_of(&trace->costs[i], kind);

		us += time ? *time : 0;
	}
	return us;
}

/* Sets the time of a path that ticks which look for system calls found. The share of page faults stays the
 * same; only in a damaged reduced file can it be above 1, and is limited to 1. */
static void set_calls(struct ep_path_cost *cost, uint64_t us)
{
	if (cost->faults_us >= cost->calls_us)
		cost->faults_us = us;
	else
		cost->faults_us =
			(uint64_t)((double)cost->faults_us * (double)us / (double)cost->calls_us +
				   .5);
	cost->calls_us = us;
}

/* Scales the times of a kind so that their sum is to_us; running sums are rounded, so that the sum is exact. */
static void scale(struct ep_trace *trace, enum kind kind, uint64_t to_us)
{
	uint64_t from_us = sum_us(trace, kind), before_us = 0, given_us = 0;
	double factor = from_us ? (double)to_us / (double)from_us : 1;

	for (uint32_t i = 0; i < trace->n_costs && from_us; i++) {
		uint64_t *time = time_of(&trace->costs[i], kind), given_before_us = given_us;

		if (!time)
			continue;
		before_us += *time;
		given_us =
			before_us == from_us ? to_us : (uint64_t)(factor * (double)before_us + .5);
		if (kind == BY_CALLS)
			set_calls(&trace->costs[i], given_us - given_before_us);
		else
			*time = given_us - given_before_us;
		scale_squares(&trace->costs[i], kind, factor);
	}
}

/* Scales hidden time. hidden_us tells which paths are of this kind, and so changes only after all of them are
 * scaled. */
static void scale_hidden(struct ep_trace *trace, uint64_t to_us)
{
	scale(trace, HIDDEN, to_us);
	for (uint32_t i = 0; i < trace->n_costs; i++) {
		struct ep_cost *cost = &trace->costs[i].cost;

		if (cost->hidden_us)
			cost->hidden_us = cost->cpu_us;
	}
}

/* ---- system calls ---- */

int ep_time_places_see_call(struct loader *loader, struct ep_trace_thread *thread,
	const struct ep_sample *sample, uint32_t path_idx)
{
	struct ep_trace *trace = loader->trace;
	struct ep_seen_time time = { .trace = trace,
		.thread_idx = (uint32_t)(thread - trace->threads),
		.path_idx = path_idx,
		.region_idx = EP_NONE,
		.is_sample = true,
		.end_us = sample->time_us };
	const struct ep_trace_process *process = &trace->processes[thread->process_idx];
	struct ep_latency_slice call = { .path_idx = path_idx, .is_call = true };
	struct ep_path_cost *cost;

	if (!process->calls_us || process->has_costs)
		return 0;
	cost = ep_path_cost_of(trace, path_idx);
	if (!cost)
		return -ENOMEM;
	time.cpu_us = process->calls_us * ep_sample_looks(sample->flags);
	call.from_us = call.to_us = process->born_ns / 1000 + sample->time_us;
	call.cpu_us = time.cpu_us;
	call.moment = ep_hash_mix(ep_hash_mix(thread->seed, process->key.birth_ns), call.to_us);
	if (ep_latency_see_path(&trace->latency, &call) ||
		ep_rank_cost_see(trace, thread, path_idx, time.cpu_us, true))
		return -ENOMEM;
	cost->calls_us += time.cpu_us;
	cost->faults_us += sample->flags & EP_SAMPLE_IN_FAULT ? time.cpu_us : 0;
	cost->calls_squares += (double)time.cpu_us * (double)time.cpu_us;
	cost->cost.n_samples++;
	thread->cost.n_samples++;
	thread->n_call_samples++;
	return loader->options->see_times
		       ? loader->options->see_times(loader->options->seer, &time, 1)
		       : 0;
}

/* Returns the standard error of the time in all system calls. The ticks that look for them are random draws,
 * and the weight of a thread's first tick may be off by up to half a window. */
static double calls_error_us(const struct ep_trace *trace)
{
	double variance = 0;

	for (uint32_t i = 0; i < trace->n_costs; i++)
		variance += trace->costs[i].calls_squares;
	for (uint32_t i = 0; i < trace->n_threads; i++) {
		double window_us =
			(double)trace->processes[trace->threads[i].process_idx].window_us;

		variance += is_drawn(trace, &trace->threads[i]) ? window_us * window_us / 12 : 0;
	}
	return sqrt(variance);
}

/* Ticks that look for system calls miss a part of them: a tick that comes while interrupts are off, as where
 * the kernel puts a thread to sleep, may find another thread. In redis, where three system calls take all of
 * the kernel's time, a fifth is missed. */
#define MOST_MISSED (1. / 3)

/* Returns the time in system calls. All of the kernel's time is taken if it is not much more than calls_us,
 * the time that ticks found, or if there is no time of other ticks to which the rest could be added. */
static uint64_t calls_of(struct ep_trace *trace, uint64_t calls_us, uint64_t kernel_us)
{
	double rest_us = (double)kernel_us - (1 + MOST_MISSED) * (double)calls_us;

	if (!sum_us(trace, BY_CLOCK) && !sum_us(trace, HIDDEN))
		return kernel_us;
	return rest_us < calls_error_us(trace) ? kernel_us : calls_us;
}

static void add_calls(struct ep_trace *trace)
{
	for (uint32_t i = 0; i < trace->n_costs; i++) {
		trace->costs[i].cost.cpu_us += trace->costs[i].calls_us;
		trace->costs[i].squares += trace->costs[i].calls_squares;
	}
}

/* Divides all_us among the three kinds. The clock's ticks tell how much of it passed in user mode. */
static void share(struct ep_trace *trace, uint64_t all_us)
{
	uint64_t by_clock_us = sum_us(trace, BY_CLOCK), hidden_us = sum_us(trace, HIDDEN);
	uint64_t calls_us = sum_us(trace, BY_CALLS);
	uint64_t kernel_us = all_us > by_clock_us ? all_us - by_clock_us : 0;
	uint64_t given_us;

	if (!calls_us || !kernel_us) {
		scale(trace, BY_CALLS, 0);
		scale(trace, BY_CLOCK, all_us - hidden_us);
		return;
	}
	given_us = calls_of(trace, calls_us, kernel_us);
	scale(trace, BY_CALLS, given_us);
	if (hidden_us)
		scale_hidden(trace, kernel_us - given_us);
	else
		scale(trace, BY_CLOCK, all_us - given_us);
	add_calls(trace);
}

void ep_time_places_weigh(struct ep_trace *trace)
{
	uint64_t all_us = sum_us(trace, BY_CLOCK) + sum_us(trace, HIDDEN);
	int64_t us = 0;
	bool is_told;

	for (uint32_t i = 0; i < trace->n_threads; i++)
		us += untold_us(trace, &trace->threads[i]);
	/* Times are not moved where a part of the run is loaded, since most ends of threads lie outside of
	 * the part, or where no thread has a tick, since nothing then tells where the time belongs. */
	is_told = !trace->part.is_set && (us < (int64_t)all_us || sum_us(trace, BY_CALLS));
	for (uint32_t i = 0; i < trace->n_threads && is_told; i++)
		move(trace, &trace->threads[i]);
	for (uint32_t i = 0; i < trace->n_threads && is_told && trace->n_rank_costs; i++)
		move_rank(trace, &trace->threads[i]);
	share(trace, all_us);
}

int ep_trace_weigh(struct ep_trace *trace)
{
	struct ep_rank_weights of_ranks;

	if (ep_rank_weights_begin(trace, &of_ranks))
		return -ENOMEM;
	ep_time_places_weigh(trace);
	ep_leave_out_stolen(trace);
	ep_rank_weights_apply(trace, &of_ranks);
	return ep_latency_weigh(trace);
}
