// SPDX-License-Identifier: BSD-3-Clause
/* Finds by how much the counts of the whole machine grew while a file was written, and removes from the
 * paths' times the time that hosts took from their virtual machines. */
#include <math.h>

#include "reporter/load/loader.h"
#include "reporter/load/machine_span.h"

static bool knows(const struct ep_machine_times *times, uint32_t whats)
{
	for (uint32_t what = 0; what < EP_N_MACHINE_TIMES; what++)
		if (whats & EP_MACHINE_BIT(what) && !times->is_known[what])
			return false;
	return true;
}

/* Returns the time of a reading, in ns on the trace's clock; UINT64_MAX for a damaged time that does not fit
 * 64 bits. */
static uint64_t time_of(
	const struct ep_trace_process *process, const struct ep_machine_times *times)
{
	uint64_t ns;

	if (__builtin_mul_overflow(times->time_us, 1000, &ns) ||
		__builtin_add_overflow(ns, process->born_ns, &ns))
		return UINT64_MAX;
	return ns;
}

static void span_add(
	struct ep_machine_span *span, const struct ep_machine_times *times, uint64_t ns)
{
	if (!span->first || ns < span->from_ns) {
		span->first = times;
		span->from_ns = ns;
	}
	if (!span->last || ns > span->to_ns) {
		span->last = times;
		span->to_ns = ns;
	}
}

/* Finds the first process of a file by bisection: processes are in the order of their files, of which there
 * may be a hundred thousand. */
static uint32_t first_of_file(const struct ep_trace *trace, uint32_t file_idx)
{
	uint32_t from = 0, to = trace->n_processes;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;

		if (trace->processes[middle].file_idx < file_idx)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

struct ep_machine_span ep_machine_span_of_file(
	const struct ep_trace *trace, uint32_t file_idx, uint32_t whats)
{
	struct ep_machine_span span = { .from_ns = 0 };

	for (uint32_t i = first_of_file(trace, file_idx);
		i < trace->n_processes && trace->processes[i].file_idx == file_idx; i++) {
		const struct ep_trace_process *p = &trace->processes[i];

		for (int k = 0; k < 2 && p->n_machine_times; k++)
			if (knows(&p->machine_times[k], whats))
				span_add(&span, &p->machine_times[k],
					time_of(p, &p->machine_times[k]));
	}
	return span;
}

struct ep_machine_span ep_machine_span_longest(const struct ep_trace *trace, uint32_t whats)
{
	struct ep_machine_span longest = { .from_ns = 0 };

	for (uint32_t i = 0; i < trace->n_processes; i++) {
		uint32_t file_idx = trace->processes[i].file_idx;
		struct ep_machine_span span;

		if (i && trace->processes[i - 1].file_idx == file_idx)
			continue;
		span = ep_machine_span_of_file(trace, file_idx, whats);
		if (span.to_ns - span.from_ns > longest.to_ns - longest.from_ns)
			longest = span;
	}
	return longest;
}

double ep_machine_span_growth(const struct ep_machine_span *span, enum ep_machine_time what)
{
	if (span->to_ns <= span->from_ns || !span->first->is_known[what] ||
		!span->last->is_known[what] || span->last->values[what] < span->first->values[what])
		return NAN;
	return (double)(span->last->values[what] - span->first->values[what]);
}

static double stolen_us(const struct ep_trace *trace)
{
	double sum_us = 0;

	for (uint32_t file = 0; file < trace->reader.n_files; file++) {
		struct ep_machine_span span =
			ep_machine_span_of_file(trace, file, EP_MACHINE_BIT(EP_MACHINE_STOLEN_US));
		double us = ep_machine_span_growth(&span, EP_MACHINE_STOLEN_US);

		sum_us += isnan(us) ? 0 : us;
	}
	return sum_us;
}

/* Returns the excess time of a path's slices, limited to the path's time, which it exceeds only in a damaged
 * trace. */
static uint64_t excess_of(const struct ep_cost *cost)
{
	return cost->not_system_us < cost->cpu_us ? cost->not_system_us : cost->cpu_us;
}

void ep_leave_out_stolen(struct ep_trace *trace)
{
	uint64_t us = 0;
	double share;

	for (uint32_t i = 0; i < trace->n_costs; i++)
		us += excess_of(&trace->costs[i].cost);
	if (!us)
		return;
	share = fmin(1, stolen_us(trace) / (double)us);
	for (uint32_t i = 0; i < trace->n_costs; i++) {
		struct ep_cost *cost = &trace->costs[i].cost;
		uint64_t excess_us = excess_of(cost);
		uint64_t left_out_us = (uint64_t)(share * (double)excess_us);

		/* rounding may make left_out_us larger than excess_us */
		left_out_us = left_out_us < excess_us ? left_out_us : excess_us;
		cost->cpu_us -= left_out_us;
		trace->stolen_us += left_out_us;
	}
}
