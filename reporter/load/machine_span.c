// SPDX-License-Identifier: BSD-3-Clause
/* By how much the machine's accounts grew while a file was written, and what that says of slices.
 */
#include <math.h>

#include "reporter/load/loader.h"

struct ep_machine_span ep_machine_span_of_file(const struct ep_trace *trace, uint32_t file_idx)
{
	struct ep_machine_span span = { .from_ns = UINT64_MAX };

	for (uint32_t i = 0; i < trace->n_processes; i++) {
		const struct ep_trace_process *p = &trace->processes[i];

		if (p->file_idx != file_idx || !p->n_machine_times)
			continue;
		for (int k = 0; k < 2; k++) {
			const struct ep_machine_times *times = &p->machine_times[k];
			uint64_t at_ns = p->born_ns + times->time_us * 1000;

			if (at_ns < span.from_ns) {
				span.first = times;
				span.from_ns = at_ns;
			}
			if (at_ns > span.to_ns) {
				span.last = times;
				span.to_ns = at_ns;
			}
		}
	}
	return span;
}

double ep_machine_span_growth(const struct ep_machine_span *span, enum ep_machine_time what)
{
	if (!span->first || !span->first->is_known[what] || !span->last->is_known[what] ||
		span->last->values[what] < span->first->values[what])
		return NAN;
	return (double)(span->last->values[what] - span->first->values[what]);
}

static double stolen_us(const struct ep_trace *trace)
{
	double sum_us = 0;

	for (uint32_t file = 0; file < trace->reader.n_files; file++) {
		struct ep_machine_span span = ep_machine_span_of_file(trace, file);
		double us = ep_machine_span_growth(&span, EP_MACHINE_STOLEN_US);

		sum_us += isnan(us) ? 0 : us;
	}
	return sum_us;
}

void ep_leave_out_stolen(struct ep_trace *trace)
{
	uint64_t us = 0;
	double share;

	for (uint32_t i = 0; i < trace->n_costs; i++)
		us += trace->costs[i].cost.not_system_us;
	if (!us)
		return;
	share = fmin(1, stolen_us(trace) / (double)us);
	for (uint32_t i = 0; i < trace->n_costs; i++) {
		struct ep_cost *cost = &trace->costs[i].cost;
		uint64_t left_out_us = (uint64_t)(share * (double)cost->not_system_us);

		cost->cpu_us -= left_out_us;
		trace->stolen_us += left_out_us;
	}
}
