// SPDX-License-Identifier: BSD-3-Clause
/* Finds the amounts that the whole machine used during the run: energy, and memory traffic. */
#include <math.h>
#include <stdlib.h>

#include "reporter/facts/builder.h"

/* RAPL updates its counters about once in a millisecond (Khan et al., "RAPL in Action", ACM TOMPECS 3(2),
 * 2018): each of the two readings misses the use since the last update, whose age is uniformly distributed. */
#define UPDATE_S 1e-3
/* sqrt(2 / 12), the standard deviation of the difference of two uniformly distributed ages */
#define OF_BOTH_ENDS 0.408

/* Tells whether the amount is known for the time between a reading and the one before. Sets *is_whole to
 * false where a counter became unreadable, or decreased. */
static bool knows(const struct ep_trace_process *process, uint32_t reading,
	enum ep_machine_time what, bool *is_whole)
{
	const struct ep_machine_times *a = &process->machine_series[reading - 1], *b = a + 1;

	if (!a->is_known[what] && !b->is_known[what])
		return false;
	*is_whole &= b->is_known[what] && b->values[what] >= a->values[what];
	return *is_whole;
}

static double seconds_between(const struct ep_trace_process *process, uint32_t reading)
{
	const struct ep_machine_times *a = &process->machine_series[reading - 1], *b = a + 1;

	return b->time_us > a->time_us ? (double)(b->time_us - a->time_us) / 1e6 : 0;
}

/* Returns the time for which a process knows the amount; 0 where the counter became unreadable
 * before the end. */
static double known_s(const struct ep_trace_process *process, enum ep_machine_time what)
{
	bool is_whole = true;
	double s = 0;

	for (uint32_t k = 1; process->machine_series && k < process->n_machine_times; k++)
		if (knows(process, k, what, &is_whole))
			s += seconds_between(process, k);
	return is_whole ? s : 0;
}

/* Returns the index of the file in which the amount is known for the longest time. Each file has the amount
 * of the whole machine, but files of some ranks may lack it. */
static uint32_t file_that_knows(const struct ep_trace *trace, enum ep_machine_time what)
{
	double longest_s = 0, s = 0;
	uint32_t file_idx = EP_NONE;

	for (uint32_t i = 0; i < trace->n_processes; i++) {
		if (i && trace->processes[i].file_idx != trace->processes[i - 1].file_idx)
			s = 0;
		s += known_s(&trace->processes[i], what);
		if (s <= longest_s)
			continue;
		longest_s = s;
		file_idx = trace->processes[i].file_idx;
	}
	return file_idx;
}

/* Adds the amount of one process. Returns false where the counter became unreadable before the
 * end. */
static bool add_process(const struct ep_builder *builder, const struct ep_trace_process *p,
	enum ep_machine_time what, struct ep_report_amount *amount)
{
	double scale = ep_machine_amounts[what].scale;
	double born_us =
		((double)p->born_ns - (double)builder->birth_ns) / 1e3 - (double)builder->from_us;
	bool is_whole = true;

	for (uint32_t k = 1; k < p->n_machine_times; k++) {
		const struct ep_machine_times *a = &p->machine_series[k - 1], *b = a + 1;
		double value;

		if (!knows(p, k, what, &is_whole))
			continue;
		value = scale * (double)(b->values[what] - a->values[what]);
		amount->is_known = true;
		amount->total += value;
		amount->span_s += seconds_between(p, k);
		if (amount->bins && b->time_us > a->time_us)
			ep_spread(builder->report, born_us + (double)a->time_us,
				born_us + (double)b->time_us, value, amount->bins);
	}
	return is_whole;
}

static void build(struct ep_builder *builder, enum ep_machine_time what)
{
	const struct ep_trace *trace = builder->trace;
	struct ep_report *report = builder->report;
	struct ep_report_amount *amount = &report->amounts[what];
	uint32_t file_idx = file_that_knows(trace, what);
	bool is_whole = true;

	if (report->n_bins)
		amount->bins = ep_builder_calloc(builder, report->n_bins, sizeof(double));
	for (uint32_t i = 0; i < trace->n_processes; i++)
		if (trace->processes[i].file_idx == file_idx && trace->processes[i].machine_series)
			is_whole &= add_process(builder, &trace->processes[i], what, amount);
	amount->is_known &= is_whole;
	if (amount->span_s > 0)
		amount->error = amount->total / amount->span_s * UPDATE_S * OF_BOTH_ENDS;
}

/* Builds the amounts. A report on several machines, or on a part of the processes, has none, since an amount
 * belongs to one whole machine. */
void ep_build_amounts(struct ep_builder *builder)
{
	const struct ep_report *report = builder->report;

	if (report->n_hosts != 1 || report->selection || builder->trace->part.is_set ||
		report->is_simulated)
		return;
	for (int what = EP_MACHINE_PACKAGE_UJ; what < EP_N_MACHINE_TIMES; what++)
		build(builder, (enum ep_machine_time)what);
}
