// SPDX-License-Identifier: BSD-3-Clause
#include "thread_ends.h"

/* A slice with a hidden or a stolen part stands for a period already (batch_add.c). */
static bool is_whole(const struct ep_sample *sample, const struct ep_cost *cost)
{
	return cost->cpu_us == sample->cpu_us && !cost->not_system_us;
}

void ep_thread_ends_see(struct ep_thread_ends *ends, const struct ep_sample *sample,
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

static struct ep_cost *cost_at(struct ep_trace *trace, uint32_t path_idx)
{
	uint32_t cost_idx = trace->paths[path_idx].cost_idx;

	return cost_idx == EP_NONE ? NULL : &trace->costs[cost_idx].cost;
}

/* Which threads have slices that places share, and a first tick that came at random. */
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
	struct ep_cost *cost = end->us ? cost_at(trace, end->path_idx) : NULL;

	if (cost)
		cost->cpu_us -= end->us < cost->cpu_us ? end->us : cost->cpu_us;
}

static void move(struct ep_trace *trace, const struct ep_trace_thread *thread)
{
	const struct ep_thread_ends *ends = &thread->ends;
	struct ep_cost *cost;

	if (!is_drawn(trace, thread))
		return;
	take_from(trace, &ends->tail);
	take_from(trace, &ends->before);
	cost = ends->first.us ? cost_at(trace, ends->first.path_idx) : NULL;
	if (cost)
		cost->cpu_us += trace->processes[thread->process_idx].window_us - ends->first.us;
}

/* Rounds sums, so that the sum of all is to_us. */
static void scale(struct ep_trace *trace, uint64_t from_us, uint64_t to_us)
{
	double factor = from_us ? (double)to_us / (double)from_us : 1;
	uint64_t before_us = 0, given_us = 0;

	for (uint32_t i = 0; i < trace->n_costs; i++) {
		struct ep_cost *cost = &trace->costs[i].cost;
		uint64_t given_before_us = given_us;

		before_us += cost->cpu_us;
		given_us =
			before_us == from_us ? to_us : (uint64_t)(factor * (double)before_us + .5);
		cost->cpu_us = given_us - given_before_us;
	}
}

static uint64_t sum_us(const struct ep_trace *trace)
{
	uint64_t us = 0;

	for (uint32_t i = 0; i < trace->n_costs; i++)
		us += trace->costs[i].cost.cpu_us;
	return us;
}

void ep_thread_ends_weigh(struct ep_trace *trace)
{
	uint64_t all_us = sum_us(trace);
	int64_t us = 0;

	for (uint32_t i = 0; i < trace->n_threads; i++)
		us += untold_us(trace, &trace->threads[i]);
	if (trace->part.is_set || us >= (int64_t)all_us) /* no tick at all */
		return;
	for (uint32_t i = 0; i < trace->n_threads; i++)
		move(trace, &trace->threads[i]);
	scale(trace, sum_us(trace), all_us);
}
