// SPDX-License-Identifier: BSD-3-Clause
/* Finds the CPU time that a virtual machine's host, or the CPU limit of a container, took from the run. */
#include <math.h>

#include "reporter/facts/builder.h"
#include "reporter/load/machine_span.h"

static const char no_account[] =
	"the trace has no account of the machine from the run's beginning and its end";

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

/* Returns the growth of one account divided by the growth of another, in a file that has both. */
static struct ep_quantity growth_ratio(
	const struct ep_trace *trace, enum ep_machine_time part, enum ep_machine_time whole)
{
	struct ep_machine_span span =
		ep_machine_span_longest(trace, EP_MACHINE_BIT(part) | EP_MACHINE_BIT(whole));

	return ep_quantity_of(
		ratio(ep_machine_span_growth(&span, part), ep_machine_span_growth(&span, whole)),
		no_account);
}

static struct ep_quantity limited_s(const struct ep_trace *trace)
{
	struct ep_machine_span span =
		ep_machine_span_longest(trace, EP_MACHINE_BIT(EP_MACHINE_THROTTLED_US));

	return ep_quantity_of(
		ep_machine_span_growth(&span, EP_MACHINE_THROTTLED_US) / 1e6, no_account);
}

/* The kernel's account of the machine's CPUs grows in steps of 10 ms. Over 100 ms it is right to within a
 * tenth of each CPU; over 1 ms, 12.6 of 2 CPUs seemed busy. */
#define SHORTEST_FOR_ACCOUNT_NS 1e8

/* Returns how many CPUs other programs kept busy. This is known only for a whole run on one machine. Loading,
 * linking and children that were not measured belong to the run itself. */
static struct ep_quantity others_cpus(const struct ep_report *report, const struct ep_trace *trace)
{
	struct ep_machine_span span =
		ep_machine_span_longest(trace, EP_MACHINE_BIT(EP_MACHINE_BUSY_US));
	double span_ns = (double)(span.to_ns - span.from_ns), busy, others;

	if (report->n_hosts != 1)
		return ep_quantity_unknown("the run was on several machines");
	if (report->selection || !(report->duration_s > 0))
		return ep_quantity_unknown("a part of the run is shown");
	if (span.first && span_ns < SHORTEST_FOR_ACCOUNT_NS)
		return ep_quantity_unknown("the run was too short for the machine's account");
	busy = ratio(ep_machine_span_growth(&span, EP_MACHINE_BUSY_US) * 1000, span_ns);
	others = busy - report->charged_s / report->duration_s;
	/* accounts by ticks are coarse: the run may seem to have used more than all CPUs did */
	return ep_quantity_of(others < 0 ? 0 : others, no_account);
}

void ep_build_machine_times(struct ep_builder *builder)
{
	struct ep_report *report = builder->report;
	const struct ep_trace *trace = builder->trace;

	report->stolen_share = report->others_cpus = report->limited_share = report->limited_s =
		ep_quantity_unknown(report->is_simulated ? "valgrind simulated the run"
							 : "a part of the run is shown");
	if (trace->part.is_set || report->is_simulated)
		return;
	report->stolen_share = growth_ratio(trace, EP_MACHINE_STOLEN_US, EP_MACHINE_BUSY_US);
	report->limited_share = growth_ratio(trace, EP_MACHINE_N_THROTTLED, EP_MACHINE_N_PERIODS);
	report->limited_s = limited_s(trace);
	report->others_cpus = others_cpus(report, trace);
}
