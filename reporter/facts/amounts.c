// SPDX-License-Identifier: BSD-3-Clause
/* Amounts of the whole machine while the run lasted: energy, memory traffic. */
#include <math.h>
#include <stdlib.h>

#include "reporter/facts/builder.h"

/* RAPL adds up once in a millisecond or so (Khan et al., "RAPL in Action", ACM TOMPECS 3(2), 2018): a reading at
 * either end is off by the amount of a part of one, each part as likely. */
#define UPDATE_S 1e-3
#define OF_BOTH_ENDS 0.408 /* sqrt(2 / 12) */

/* One file's are enough: each says the whole machine's. */
static uint32_t longest_file(const struct ep_trace *trace)
{
	uint64_t longest_ns = 0;
	uint32_t file_idx = EP_NONE;

	for (uint32_t i = 0; i < trace->n_processes; i++) {
		const struct ep_trace_process *p = &trace->processes[i];
		struct ep_machine_span span;

		if (p->n_machine_times < 2)
			continue;
		span = ep_machine_span_of_file(trace, p->file_idx);
		if (span.to_ns - span.from_ns <= longest_ns)
			continue;
		longest_ns = span.to_ns - span.from_ns;
		file_idx = p->file_idx;
	}
	return file_idx;
}

/* False: from some time on it was not known any more. */
static bool add_process(const struct ep_builder *builder, const struct ep_trace_process *p,
	enum ep_machine_time what, struct ep_report_amount *amount)
{
	double scale = ep_machine_amounts[what].scale;
	double born_us = ((double)p->born_ns - (double)builder->birth_ns) / 1e3 -
			 (double)builder->from_us;

	for (uint32_t k = 1; k < p->n_machine_times; k++) {
		const struct ep_machine_times *a = &p->machine_series[k - 1], *b = a + 1;

		if (!a->is_known[what] && !b->is_known[what])
			continue;
		if (!b->is_known[what] || b->values[what] < a->values[what])
			return false;
		double value = scale * (double)(b->values[what] - a->values[what]);

		amount->is_known = true;
		amount->total += value;
		if (amount->bins && b->time_us > a->time_us)
			ep_spread(builder->report, born_us + (double)a->time_us,
				born_us + (double)b->time_us, value, amount->bins);
	}
	return true;
}

static void build(struct ep_builder *builder, uint32_t file_idx, enum ep_machine_time what)
{
	const struct ep_trace *trace = builder->trace;
	struct ep_report *report = builder->report;
	struct ep_report_amount *amount = &report->amounts[what];
	bool is_whole = true;

	if (report->n_bins)
		amount->bins = ep_builder_calloc(builder, report->n_bins, sizeof(double));
	for (uint32_t i = 0; i < trace->n_processes; i++)
		if (trace->processes[i].file_idx == file_idx && trace->processes[i].machine_series)
			is_whole &= add_process(builder, &trace->processes[i], what, amount);
	amount->is_known &= is_whole;
	if (report->duration_s > 0)
		amount->error = amount->total / report->duration_s * UPDATE_S * OF_BOTH_ENDS;
}

/* Reports of several machines, or of a part of the processes, have no amounts: each amount belongs
 * to one whole machine. */
void ep_build_amounts(struct ep_builder *builder)
{
	const struct ep_report *report = builder->report;
	uint32_t file_idx = longest_file(builder->trace);

	if (file_idx == EP_NONE || report->n_hosts != 1 || report->selection ||
		builder->trace->part.is_set || report->is_simulated)
		return;
	for (int what = EP_MACHINE_PACKAGE_UJ; what < EP_N_MACHINE_TIMES; what++)
		build(builder, file_idx, (enum ep_machine_time)what);
}
