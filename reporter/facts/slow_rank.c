// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the rank that the others wait for, and why: it has more work, or its machine is slower. A reason is
 * reported if the rank's difference to the other ranks costs it at least half of the time by which the rank
 * is above the mean of all ranks.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"
#include "reporter/load/machine_span.h"

#define UNEVEN 1.2 /* least ratio of the longest time of a rank to the mean */
/* largest ratio of a slow clock to the other ranks' clock: a smaller difference may be chance */
#define SLOWER 0.95
#define EXPLAINED 0.5 /* least part of the time above the mean that a reason must explain */
/* largest part of CPU time in the kernel for which a clock is computed: cycles may be counted in user mode only */
#define IN_KERNEL 0.05
#define MORE_FAULTS 2 /* least ratio to the other ranks' page faults */
#define FEW_FAULTS 1000

/* ---- what a rank lacks: CPUs, and time taken by hosts ---- */

static double growth_us(const struct ep_trace *trace, uint32_t file_idx, enum ep_machine_time what)
{
	struct ep_machine_span span = ep_machine_span_of_file(
		trace, file_idx, EP_MACHINE_BIT(what) | EP_MACHINE_BIT(EP_MACHINE_BUSY_US));

	return ep_machine_span_growth(&span, what);
}

/* Adds a process's accounts to its group. A machine without an account of stolen time counts as a machine
 * without stolen time, since hosts that never took any do not report such an account. */
static void add_process(const struct ep_trace *trace, struct ep_report_group *group,
	uint32_t process_idx, uint64_t ready_ns)
{
	uint32_t file_idx = trace->processes[process_idx].file_idx;
	double busy_us = growth_us(trace, file_idx, EP_MACHINE_BUSY_US);
	double stolen_us = growth_us(trace, file_idx, EP_MACHINE_STOLEN_US);

	group->lacking_s += (double)ready_ns / 1e9;
	if (!(busy_us > 0))
		return;
	if (!isnan(stolen_us))
		group->stolen_share = stolen_us / busy_us;
	group->machine_busy_s = (busy_us - (isnan(stolen_us) ? 0 : stolen_us)) / 1e6;
}

static void add_faults(struct ep_report_group *group, const struct ep_totals *totals)
{
	uint64_t n = totals->n_minor_faults + totals->n_major_faults;

	group->n_minor_faults += totals->n_minor_faults;
	group->n_major_faults += totals->n_major_faults;
	if (n > group->n_faults_most)
		group->n_faults_most = n;
}

/* Adds the time for which processes waited for a CPU: that of each process's thread that waited longest,
 * since threads wait at the same time. */
static void add_lacking(const struct ep_trace *trace, struct ep_report_group *groups,
	const uint32_t *group_of, uint64_t *ready_ns)
{
	for (uint32_t i = 0; i < trace->n_threads; i++) {
		const struct ep_trace_thread *thread = &trace->threads[i];
		uint64_t *most_ns = &ready_ns[thread->process_idx];
		uint32_t g = group_of[thread->process_idx];

		if (thread->has_ready && thread->ready.ready_ns > *most_ns)
			*most_ns = thread->ready.ready_ns;
		if (g == EP_NONE)
			continue;
		add_faults(&groups[g], &thread->totals);
	}
	for (uint32_t i = 0; i < trace->n_processes; i++)
		if (group_of[i] != EP_NONE)
			add_process(trace, &groups[group_of[i]], i, ready_ns[i]);
}

void ep_groups_add_lacking(
	struct ep_builder *builder, struct ep_report_group *groups, const uint32_t *group_of)
{
	const struct ep_trace *trace = builder->trace;
	EP_AUTOFREE uint64_t *ready_ns =
		ep_builder_calloc(builder, trace->n_processes + 1, sizeof(*ready_ns));

	if (ready_ns && !trace->part.is_set && !builder->report->is_simulated)
		add_lacking(trace, groups, group_of, ready_ns);
}

/* ---- reasons ---- */

/* Returns an estimate of the time that hosts took from the rank. The share is taken to be that of the rank's
 * whole machine. */
static double stolen_s(const struct ep_report_group *rank)
{
	double share = isnan(rank->stolen_share) ? 0 : rank->stolen_share;

	return share < 1 ? rank->own_s * share / (1 - share) : 0;
}

static double late_s(const struct ep_report_group *rank)
{
	return rank->own_s + rank->lacking_s + stolen_s(rank);
}

/* Tells whether the rank's clock can be computed from cycles: if cycles are counted in user mode only, much
 * time in the kernel would look like a slow clock. */
static bool is_comparable(const struct ep_report_group *rank)
{
	return rank->counted_us > 0 && rank->system_s <= IN_KERNEL * (double)rank->cpu_ns / 1e9;
}

/* The rank in question, and by how much its time is above the mean of all. */
struct slow {
	const struct ep_report *report;
	const struct ep_report_group *rank;
	double excess_s;
};

/* Returns the mean of a value over all ranks except the slow one. */
static double others_of(
	const struct slow *slow, double (*value_of)(const struct ep_report_group *rank))
{
	const struct ep_report *r = slow->report;
	double sum = 0;

	for (uint32_t i = 0; i < r->n_rank_rows; i++)
		if (&r->rank_rows[i] != slow->rank)
			sum += value_of(&r->rank_rows[i]);
	return sum / (r->n_rank_rows - 1);
}

/* Returns the mean clock of the other ranks; NaN: one of them is not comparable. */
static double ghz_of_others(const struct slow *slow)
{
	const struct ep_report *r = slow->report;
	struct ep_report_group others = { .name = NULL };

	for (uint32_t i = 0; i < r->n_rank_rows; i++) {
		if (&r->rank_rows[i] == slow->rank)
			continue;
		if (!is_comparable(&r->rank_rows[i]))
			return NAN;
		others.cycles += r->rank_rows[i].cycles;
		others.counted_us += r->rank_rows[i].counted_us;
	}
	return ep_group_ghz(&others);
}

/* Tells whether a reason applies; sets the values of the rank and of the others, and the seconds that it
 * costs. */
typedef bool (*reason_fn)(const struct slow *slow, struct ep_report_slow_rank *out);

static bool is_clock(const struct slow *slow, struct ep_report_slow_rank *out)
{
	if (!is_comparable(slow->rank))
		return false;
	out->its = ep_group_ghz(slow->rank);
	out->others = ghz_of_others(slow);
	out->cost_s = slow->rank->own_s * (1 - out->its / out->others);
	return out->its < SLOWER * out->others; /* false where others is NaN */
}

static double faults_of(const struct ep_report_group *rank)
{
	return (double)(rank->n_minor_faults + rank->n_major_faults);
}

static double system_s_of(const struct ep_report_group *rank)
{
	return rank->system_s;
}

/* Tells whether page faults are the reason. The threads of a rank fault at the same time, so that they cost
 * the time of the thread with most faults. */
static bool is_faults(const struct slow *slow, struct ep_report_slow_rank *out)
{
	out->its = faults_of(slow->rank);
	out->others = others_of(slow, faults_of);
	out->cost_s = (slow->rank->system_s - others_of(slow, system_s_of)) *
		      (double)slow->rank->n_faults_most / fmax(out->its, 1);
	return out->its >= FEW_FAULTS && out->its >= MORE_FAULTS * out->others;
}

static double lacking_s_of(const struct ep_report_group *rank)
{
	return rank->lacking_s;
}

static bool is_cpus(const struct slow *slow, struct ep_report_slow_rank *out)
{
	out->its = slow->rank->lacking_s;
	out->others = others_of(slow, lacking_s_of);
	out->cost_s = out->its - out->others;
	return true;
}

static double stolen_share_of(const struct ep_report_group *rank)
{
	return isnan(rank->stolen_share) ? 0 : rank->stolen_share;
}

static bool is_stolen(const struct slow *slow, struct ep_report_slow_rank *out)
{
	out->its = stolen_share_of(slow->rank);
	out->others = others_of(slow, stolen_share_of);
	out->cost_s = stolen_s(slow->rank) - others_of(slow, stolen_s);
	return true;
}

static const struct reason {
	enum ep_slow_reason reason;
	reason_fn is_it;
} of_computing[] = { { EP_SLOW_CLOCK, is_clock }, { EP_SLOW_FAULTS, is_faults } },
  of_lacking[] = { { EP_SLOW_CPUS, is_cpus }, { EP_SLOW_STOLEN, is_stolen } };

/* Finds the first reason that applies and explains enough of the excess. Returns false if there is none. */
static bool find_reason(const struct slow *slow, const struct reason *reasons, size_t n,
	struct ep_report_slow_rank *out)
{
	for (size_t i = 0; i < n; i++) {
		struct ep_report_slow_rank found = { .rank = slow->rank,
			.reason = reasons[i].reason };

		if (!reasons[i].is_it(slow, &found) ||
			!(found.cost_s >= EXPLAINED * slow->excess_s))
			continue;
		*out = found;
		return true;
	}
	return false;
}

static const struct ep_report_group *row_of(const struct ep_report *r, const char *rank)
{
	for (uint32_t i = 0; i < r->n_rank_rows; i++)
		if (!strcmp(r->rank_rows[i].name, rank))
			return &r->rank_rows[i];
	return NULL;
}

static void find_latest(struct ep_report *r)
{
	struct slow slow = { .report = r };
	double sum_s = 0, most_s = 0;

	for (uint32_t i = 0; i < r->n_rank_rows; i++) {
		double s = late_s(&r->rank_rows[i]);

		sum_s += s;
		if (s <= most_s)
			continue;
		most_s = s;
		slow.rank = &r->rank_rows[i];
	}
	slow.excess_s = most_s - sum_s / r->n_rank_rows;
	if (slow.rank && most_s >= UNEVEN * sum_s / r->n_rank_rows)
		find_reason(&slow, of_lacking, EP_ARRAY_SIZE(of_lacking), &r->slow_rank);
}

void ep_build_slow_rank(struct ep_report *r)
{
	struct slow slow = { r, .excess_s = r->rank_own_most_s - r->rank_own_mean_s };

	if (r->n_rank_rows < 2 || !r->slowest_rank || !(r->rank_own_mean_s > 0))
		return;
	slow.rank = row_of(r, r->slowest_rank->rank);
	if (!slow.rank)
		return;
	if (r->rank_own_most_s < UNEVEN * r->rank_own_mean_s)
		find_latest(r);
	else if (!find_reason(&slow, of_computing, EP_ARRAY_SIZE(of_computing), &r->slow_rank))
		r->slow_rank =
			(struct ep_report_slow_rank){ .rank = slow.rank, .reason = EP_SLOW_WORK };
}
