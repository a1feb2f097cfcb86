// SPDX-License-Identifier: BSD-3-Clause
/* What a virtual machine's host and the limit of a container took while the run was on. */
#include <math.h>

#include "reporter/report/internal.h"

/* The accounts that a file begins and ends with; its processes share a clock. */
struct span {
	const struct ep_machine_times *first, *last;
	uint64_t from_ns, to_ns;
};

static struct span span_of_file(const struct ep_trace *trace, uint32_t file_idx)
{
	struct span span = { .from_ns = UINT64_MAX };

	for (uint32_t i = 0; i < trace->n_processes; i++) {
		const struct ep_process *p = &trace->processes[i];

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

/* Of several ranks' files on several machines, the longest. */
static struct span longest_span(const struct ep_trace *trace)
{
	struct span longest = { .from_ns = 0 };

	for (uint32_t i = 0; i < trace->n_processes; i++) {
		struct span span = { .from_ns = 0 };

		if (!trace->processes[i].n_machine_times)
			continue;
		span = span_of_file(trace, trace->processes[i].file_idx);
		if (span.to_ns - span.from_ns > longest.to_ns - longest.from_ns)
			longest = span;
	}
	return longest;
}

/* By which an account has grown; NaN: not known of both ends. */
static double grown(const struct span *span, enum ep_machine_time what)
{
	if (!span->first || !span->first->is_known[what] || !span->last->is_known[what] ||
		span->last->values[what] < span->first->values[what])
		return NAN;
	return (double)(span->last->values[what] - span->first->values[what]);
}

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

void ep_build_machine_times(struct ep_builder *builder)
{
	struct ep_report *report = builder->report;
	struct span span = { .from_ns = 0 };

	if (!builder->trace->part.is_set && !builder->report->is_simulated)
		span = longest_span(builder->trace);
	report->stolen_share =
		ratio(grown(&span, EP_MACHINE_STOLEN_US), grown(&span, EP_MACHINE_BUSY_US));
	/* the run's machine alone, of which all of it is known */
	report->others_cpus = NAN;
	if (report->n_hosts == 1 && !report->selection && report->duration_s > 0)
		report->others_cpus =
			ratio(grown(&span, EP_MACHINE_BUSY_US) * 1000,
				(double)(span.to_ns - span.from_ns)) -
			(double)(report->cpu_ns + report->own_ns) / 1e9 / report->duration_s;
	if (report->others_cpus < 0) /* ticks are coarse */
		report->others_cpus = 0;
	report->limited_share =
		ratio(grown(&span, EP_MACHINE_N_THROTTLED), grown(&span, EP_MACHINE_N_PERIODS));
	report->limited_s = grown(&span, EP_MACHINE_THROTTLED_US) / 1e6;
}
