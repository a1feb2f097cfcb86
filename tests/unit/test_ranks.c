// SPDX-License-Identifier: BSD-3-Clause
/* The time of each rank outside of MPI, over the programs that it was one after the other. */
#include "tests/unit/test.h"

#include <math.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"

enum { N_PROCESSES = 4, N_THREADS = 6, SOLVE = 0, WAIT, INIT, BARRIER };

static const enum ep_activity of_path[] = { EP_ACTIVITY_OWN, EP_ACTIVITY_MPI, EP_ACTIVITY_LOADING,
	EP_ACTIVITY_OPENMP };

/* A thread of each process in the order of the processes, and two more of the first and third. */
static struct ep_trace_thread threads[N_THREADS] = { { .process_idx = 0 }, { .process_idx = 1 },
	{ .process_idx = 2 }, { .process_idx = 3 }, { .process_idx = 0 }, { .process_idx = 2 } };

/* Rank 0 is two programs; rank 1 computes three times as long; the last is no rank. */
static struct ep_rank_cost costs[] = {
	{ 0, SOLVE, 400000 },
	{ 0, INIT, 50000 },
	{ 0, WAIT, 350000 },
	{ 1, SOLVE, 600000 },
	{ 2, SOLVE, 3000000 },
	{ 2, WAIT, 1000000 },
};

TEST(ranks)
{
	struct ep_trace_process processes[N_PROCESSES] = { 0 };
	struct ep_report_process rows[N_PROCESSES] = {
		{ .process_idx = 2, .rank = "1" },
		{ .process_idx = 0, .rank = "0" },
		{ .process_idx = 1, .rank = "0" },
		{ .process_idx = 3 },
	};
	struct ep_trace trace = { .processes = processes,
		.n_processes = N_PROCESSES,
		.threads = threads,
		.n_threads = N_THREADS,
		.rank_costs = costs,
		.n_rank_costs = EP_ARRAY_SIZE(costs) };
	struct ep_report report = { .processes = rows, .n_processes = N_PROCESSES, .n_ranks = 2 };
	struct ep_builder builder = { .trace = &trace, .report = &report };

	ep_build_ranks(&builder, of_path);
	CHECK_CLOSE(rows[0].mpi_share.value, 0.25, 1e-9);
	CHECK_CLOSE(rows[1].mpi_share.value, 350. / 800, 1e-9);
	CHECK_CLOSE(rows[2].mpi_share.value, 0, 0);
	CHECK(!ep_quantity_is_known(&rows[3].mpi_share));
	CHECK_CLOSE(report.rank_own_most_s, 3, 1e-9);
	CHECK_CLOSE(report.rank_own_mean_s, 2, 1e-9);
	CHECK(report.slowest_rank == &rows[0]);
}

TEST(one_rank_has_nobody_to_wait_for)
{
	struct ep_trace_process process = { 0 };
	struct ep_report_process row = { .rank = "0" };
	struct ep_trace trace = { .processes = &process,
		.n_processes = 1,
		.threads = threads,
		.n_threads = 1,
		.rank_costs = costs,
		.n_rank_costs = 3 };
	struct ep_report report = { .processes = &row, .n_processes = 1, .n_ranks = 1 };
	struct ep_builder builder = { .trace = &trace, .report = &report };

	ep_build_ranks(&builder, of_path);
	CHECK_CLOSE(report.rank_own_mean_s, 0, 0);
}

/* A thread of OpenMP that waits while its master is in MPI does no work of its rank. The time in
 * which the master waits for it is work, and so is the time in which a thread computes alone. */
TEST(threads_compute_at_the_same_time)
{
	static struct ep_rank_cost hybrid[] = {
		{ 0, SOLVE, 1000000 },
		{ 0, BARRIER, 500000 },
		{ 0, WAIT, 2000000 },
		{ 4, SOLVE, 1500000 },
		{ 4, BARRIER, 2000000 },
		{ 2, SOLVE, 2500000 },
		{ 2, WAIT, 100000 },
		{ 2, BARRIER, 500000 },
		{ 5, SOLVE, 3000000 },
		{ 5, BARRIER, 100000 },
	};
	struct ep_trace_process processes[N_PROCESSES] = { 0 };
	struct ep_report_process rows[] = { { .process_idx = 0, .rank = "0" },
		{ .process_idx = 2, .rank = "1" } };
	struct ep_trace trace = { .processes = processes,
		.n_processes = N_PROCESSES,
		.threads = threads,
		.n_threads = N_THREADS,
		.rank_costs = hybrid,
		.n_rank_costs = EP_ARRAY_SIZE(hybrid) };
	struct ep_report report = { .processes = rows, .n_processes = 2, .n_ranks = 2 };
	struct ep_builder builder = { .trace = &trace, .report = &report };

	ep_build_ranks(&builder, of_path);
	CHECK(report.slowest_rank == &rows[1]);
	CHECK_CLOSE(report.rank_own_most_s, 3, 1e-9);
	CHECK_CLOSE(report.rank_own_mean_s, 2.25, 1e-9);
	CHECK_CLOSE(rows[0].mpi_share.value, 2. / 7, 1e-9);
}
