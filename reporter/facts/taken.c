// SPDX-License-Identifier: BSD-3-Clause
/* CPU time that a virtual machine's host and the limit of a container took during the run. */
#include <math.h>

#include "reporter/facts/builder.h"

/* The longest span of several ranks' files on several machines. */
static struct ep_machine_span longest_span(const struct ep_trace *trace)
{
	struct ep_machine_span longest = { .from_ns = 0 };

	for (uint32_t i = 0; i < trace->n_processes; i++) {
		struct ep_machine_span span = { .from_ns = 0 };

		if (!trace->processes[i].n_machine_times)
			continue;
		span = ep_machine_span_of_file(trace, trace->processes[i].file_idx);
		if (span.to_ns - span.from_ns > longest.to_ns - longest.from_ns)
			longest = span;
	}
	return longest;
}

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

void ep_build_machine_times(struct ep_builder *builder)
{
	struct ep_report *report = builder->report;
	struct ep_machine_span span = { .from_ns = 0 };

	if (!builder->trace->part.is_set && !builder->report->is_simulated)
		span = longest_span(builder->trace);
	report->stolen_share = ratio(ep_machine_span_growth(&span, EP_MACHINE_STOLEN_US),
		ep_machine_span_growth(&span, EP_MACHINE_BUSY_US));
	/* the run's machine alone, of which all of it is known */
	report->others_cpus = NAN;
	if (report->n_hosts == 1 && !report->selection && report->duration_s > 0)
		report->others_cpus =
			ratio(ep_machine_span_growth(&span, EP_MACHINE_BUSY_US) * 1000,
				(double)(span.to_ns - span.from_ns)) -
			(double)(report->cpu_ns + report->own_ns) / 1e9 / report->duration_s;
	if (report->others_cpus < 0) /* ticks are coarse */
		report->others_cpus = 0;
	report->limited_share = ratio(ep_machine_span_growth(&span, EP_MACHINE_N_THROTTLED),
		ep_machine_span_growth(&span, EP_MACHINE_N_PERIODS));
	report->limited_s = ep_machine_span_growth(&span, EP_MACHINE_THROTTLED_US) / 1e6;
}
