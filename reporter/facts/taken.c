// SPDX-License-Identifier: BSD-3-Clause
/* CPU time that a virtual machine's host and the limit of a container took during the run. */
#include <math.h>

#include "reporter/facts/builder.h"

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

/* By which one account grew for each unit of another, in one file that knows both. */
static double growth_ratio(
	const struct ep_trace *trace, enum ep_machine_time part, enum ep_machine_time whole)
{
	struct ep_machine_span span =
		ep_machine_span_longest(trace, EP_MACHINE_BIT(part) | EP_MACHINE_BIT(whole));

	return ratio(ep_machine_span_growth(&span, part), ep_machine_span_growth(&span, whole));
}

/* CPUs of the machine that were busy on average. */
static double busy_cpus(const struct ep_trace *trace)
{
	struct ep_machine_span span =
		ep_machine_span_longest(trace, EP_MACHINE_BIT(EP_MACHINE_BUSY_US));

	return ratio(ep_machine_span_growth(&span, EP_MACHINE_BUSY_US) * 1000,
		(double)(span.to_ns - span.from_ns));
}

void ep_build_machine_times(struct ep_builder *builder)
{
	struct ep_report *report = builder->report;
	const struct ep_trace *trace = builder->trace;
	struct ep_machine_span limited;

	report->stolen_share = report->others_cpus = report->limited_share = report->limited_s =
		NAN;
	if (trace->part.is_set || report->is_simulated)
		return;
	report->stolen_share = growth_ratio(trace, EP_MACHINE_STOLEN_US, EP_MACHINE_BUSY_US);
	report->limited_share = growth_ratio(trace, EP_MACHINE_N_THROTTLED, EP_MACHINE_N_PERIODS);
	limited = ep_machine_span_longest(trace, EP_MACHINE_BIT(EP_MACHINE_THROTTLED_US));
	report->limited_s = ep_machine_span_growth(&limited, EP_MACHINE_THROTTLED_US) / 1e6;
	/* the run's machine alone, of which all of it is known */
	if (report->n_hosts != 1 || report->selection || !(report->duration_s > 0))
		return;
	/* loading, linking and children that nobody measured are the run's own */
	report->others_cpus = busy_cpus(trace) - report->charged_s / report->duration_s;
	if (report->others_cpus < 0) /* ticks are coarse */
		report->others_cpus = 0;
}
