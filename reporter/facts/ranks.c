// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds how evenly the MPI ranks compute. A rank that waits in MPI keeps its CPU busy, so that all ranks use
 * the same CPU time. Only their times outside of MPI differ.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"

/* CPU time of a thread: all of it, the part in MPI, the part in OpenMP or waiting in a loop, and the rest,
 * without the time for starting. */
struct rank_share {
	uint64_t all_us, mpi_us, idle_us, own_us;
};

static void add_costs(
	const struct ep_trace *trace, const enum ep_activity *of_path, struct rank_share *shares)
{
	for (uint32_t i = 0; i < trace->n_rank_costs; i++) {
		const struct ep_rank_cost *cost = &trace->rank_costs[i];
		enum ep_activity activity = of_path[cost->path_idx];
		struct rank_share *share = &shares[cost->thread_idx];

		share->all_us += cost->us;
		if (activity == EP_ACTIVITY_MPI)
			share->mpi_us += cost->us;
		else if (activity == EP_ACTIVITY_OPENMP || activity == EP_ACTIVITY_IDLE)
			share->idle_us += cost->us;
		else if (activity != EP_ACTIVITY_LOADING)
			share->own_us += cost->us;
	}
}

/* Returns the time of a thread for which other ranks may have to wait. A thread that calls MPI also counts
 * its time in OpenMP, where it waits for the other threads before it can go on. For the other threads that
 * time does not count, since they wait there while the first thread is in MPI. */
static uint64_t busy_us(const struct rank_share *share)
{
	return share->own_us + (share->mpi_us ? share->idle_us : 0);
}

/* The time of a process. Its threads compute at the same time, so that the longest one counts. */
struct process_share {
	uint64_t all_us, mpi_us, longest_us;
};

static void add_threads(const struct ep_trace *trace, const struct rank_share *shares,
	struct process_share *processes)
{
	for (uint32_t i = 0; i < trace->n_threads; i++) {
		struct process_share *process = &processes[trace->threads[i].process_idx];

		process->all_us += shares[i].all_us;
		process->mpi_us += shares[i].mpi_us;
		if (busy_us(&shares[i]) > process->longest_us)
			process->longest_us = busy_us(&shares[i]);
	}
}

static void fill_processes(struct ep_report *report, const struct process_share *shares)
{
	for (uint32_t i = 0; i < report->n_processes; i++) {
		struct ep_report_process *row = &report->processes[i];
		const struct process_share *share = &shares[row->process_idx];

		row->told_s = (double)share->all_us / 1e6;
		row->mpi_s = (double)share->mpi_us / 1e6;
		row->own_s = (double)share->longest_us / 1e6;
		if (share->all_us)
			row->mpi_share =
				ep_quantity_exact((double)share->mpi_us / (double)share->all_us);
	}
}

static int by_rank(const void *a, const void *b)
{
	const struct ep_report_process *x = *(const struct ep_report_process *const *)a;
	const struct ep_report_process *y = *(const struct ep_report_process *const *)b;
	int order = strcmp(x->rank, y->rank);

	return order ? order : (x < y ? -1 : x > y);
}

/* Sums the times of ranks. The processes of a rank, which executed or forked each other, count as one: own_us
 * (n_processes) of the rank's first process has the time of all, the others 0. Processes are sorted by rank,
 * since jobs have thousands of ranks. */
static void sum_ranks(
	struct ep_builder *builder, const struct process_share *shares, uint64_t *own_us)
{
	const struct ep_report *report = builder->report;
	EP_AUTOFREE const struct ep_report_process **rows =
		ep_builder_calloc(builder, report->n_processes, sizeof(*rows));
	uint32_t n = 0, first = 0;

	if (!rows)
		return;
	for (uint32_t i = 0; i < report->n_processes; i++)
		if (report->processes[i].rank)
			rows[n++] = &report->processes[i];
	qsort(rows, n, sizeof(*rows), by_rank);
	for (uint32_t i = 0; i < n; i++) {
		if (strcmp(rows[i]->rank, rows[first]->rank) != 0)
			first = i;
		own_us[rows[first] - report->processes] += shares[rows[i]->process_idx].longest_us;
	}
}

void ep_build_ranks(struct ep_builder *builder, const enum ep_activity *of_path)
{
	const struct ep_trace *trace = builder->trace;
	struct ep_report *report = builder->report;
	EP_AUTOFREE struct rank_share *threads =
		ep_builder_calloc(builder, trace->n_threads, sizeof(*threads));
	EP_AUTOFREE struct process_share *shares =
		ep_builder_calloc(builder, trace->n_processes, sizeof(*shares));
	EP_AUTOFREE uint64_t *own_us =
		ep_builder_calloc(builder, report->n_processes, sizeof(*own_us));
	double sum_us = 0, most_us = 0;

	if (!threads || !shares || !own_us)
		return;
	add_costs(trace, of_path, threads);
	add_threads(trace, threads, shares);
	fill_processes(report, shares);
	sum_ranks(builder, shares, own_us);
	for (uint32_t i = 0; i < report->n_processes; i++) {
		double us = (double)own_us[i];

		sum_us += us;
		if (us <= most_us)
			continue;
		most_us = us;
		report->slowest_rank = &report->processes[i];
	}
	if (report->n_ranks > 1 && sum_us > 0) {
		report->rank_own_mean_s = sum_us / report->n_ranks / 1e6;
		report->rank_own_most_s = most_us / 1e6;
	}
}
