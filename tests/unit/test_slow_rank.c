// SPDX-License-Identifier: BSD-3-Clause
/* Why a rank is slow: each reason counts only where it explains what the rank takes longer. */
#include "tests/unit/test.h"

#include <math.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"

enum { N = 4, SLOW = 2 };

struct job {
	struct ep_report report;
	struct ep_report_process process;
	struct ep_report_group rows[N];
};

/* Ranks that compute for 10 s each at 3 GHz, with a second in the kernel of a hundred. */
static void make(struct job *job, double own_s)
{
	static const char *const names[N] = { "0", "1", "2", "3" };
	double sum_s = 0;

	*job = (struct job){ .process = { .rank = "2" } };
	for (int i = 0; i < N; i++) {
		job->rows[i] = (struct ep_report_group){ .name = names[i],
			.cpu_ns = 20000000000,
			.own_s = i == SLOW ? own_s : 10,
			.system_s = 0.2,
			.counted_us = 10e6,
			.cycles = 3e10,
			.stolen_share = NAN,
			.machine_busy_s = NAN };
		sum_s += job->rows[i].own_s;
	}
	job->report.rank_rows = job->rows;
	job->report.n_rank_rows = N;
	job->report.slowest_rank = &job->process;
	job->report.rank_own_mean_s = sum_s / N;
	job->report.rank_own_most_s = fmax(own_s, 10);
}

static enum ep_slow_reason reason_of(struct job *job)
{
	job->report.slow_rank = (struct ep_report_slow_rank){ .rank = NULL };
	ep_build_slow_rank(&job->report);
	return job->report.slow_rank.reason;
}

TEST(even_ranks_have_no_reason)
{
	struct job job;

	make(&job, 10.5);
	CHECK_INT(reason_of(&job), EP_SLOW_NONE);
	CHECK(!job.report.slow_rank.rank);
	make(&job, 15);
	CHECK_INT(reason_of(&job), EP_SLOW_WORK);
	CHECK(job.report.slow_rank.rank == &job.rows[SLOW]);
}

TEST(a_slower_clock)
{
	struct job job;

	make(&job, 15);
	job.rows[SLOW].cycles = 2e10;
	CHECK_INT(reason_of(&job), EP_SLOW_CLOCK);
	CHECK_CLOSE(job.report.slow_rank.its, 2, 1e-9);
	CHECK_CLOSE(job.report.slow_rank.others, 3, 1e-9);
	CHECK_CLOSE(job.report.slow_rank.cost_s, 5, 1e-9);
	job.rows[0].system_s = 5; /* its cycles are of user mode alone */
	CHECK_INT(reason_of(&job), EP_SLOW_WORK);
}

TEST(page_faults)
{
	struct job job;

	make(&job, 15);
	job.rows[SLOW].system_s = 4.2;
	job.rows[SLOW].n_minor_faults = job.rows[SLOW].n_faults_most = 900000;
	job.rows[0].n_minor_faults = 30000;
	CHECK_INT(reason_of(&job), EP_SLOW_FAULTS);
	CHECK_CLOSE(job.report.slow_rank.others, 10000, 1e-9);
	CHECK_CLOSE(job.report.slow_rank.cost_s, 4, 1e-9);
	job.rows[SLOW].system_s = 0.9; /* of 3.75 s that it is above the mean */
	CHECK_INT(reason_of(&job), EP_SLOW_WORK);
	job.rows[SLOW].system_s = 4.2;
	job.rows[SLOW].n_faults_most = 225000; /* of four threads, which fault at the same time */
	CHECK_INT(reason_of(&job), EP_SLOW_WORK);
	job.rows[SLOW].n_faults_most = 900000;
	job.rows[0].n_minor_faults = 3000000;
	CHECK_INT(reason_of(&job), EP_SLOW_WORK);
}

TEST(cpus_of_others)
{
	struct job job;

	make(&job, 10);
	job.rows[SLOW].lacking_s = 6;
	job.rows[0].lacking_s = 0.3;
	CHECK_INT(reason_of(&job), EP_SLOW_CPUS);
	CHECK_CLOSE(job.report.slow_rank.its, 6, 1e-9);
	CHECK_CLOSE(job.report.slow_rank.others, 0.1, 1e-9);
	for (int i = 0; i < N; i++)
		job.rows[i].lacking_s = 6; /* all of them */
	CHECK_INT(reason_of(&job), EP_SLOW_NONE);
}

TEST(stolen_time)
{
	struct job job;

	make(&job, 10);
	job.rows[SLOW].stolen_share = 0.4;
	job.rows[0].stolen_share = 0;
	CHECK_INT(reason_of(&job), EP_SLOW_STOLEN);
	CHECK_CLOSE(job.report.slow_rank.its, 0.4, 1e-9);
	CHECK_CLOSE(job.report.slow_rank.cost_s, 4 / 0.6, 1e-9);
	job.rows[SLOW].lacking_s = 30; /* which costs more */
	CHECK_INT(reason_of(&job), EP_SLOW_CPUS);
}

/* Two files, of which the second one's host took a quarter; its thread waits that waited longest. */
TEST(accounts_of_machines)
{
	struct ep_trace_process processes[2] = { { .file_idx = 0 },
		{ .file_idx = 1, .n_machine_times = 2 } };
	struct ep_trace_thread threads[3] = { { .process_idx = 0 },
		{ .process_idx = 1, .has_ready = true, .ready.ready_ns = 2000000000 },
		{ .process_idx = 1, .has_ready = true, .ready.ready_ns = 3000000000 } };
	struct ep_trace trace = {
		.processes = processes, .n_processes = 2, .threads = threads, .n_threads = 3
	};
	struct ep_report report = { .n_processes = 2 };
	struct ep_builder builder = { .trace = &trace, .report = &report };
	struct ep_report_group groups[2] = { { .stolen_share = NAN }, { .stolen_share = NAN } };
	uint32_t group_of[2] = { 0, 1 };

	for (int k = 0; k < 2; k++)
		processes[1].machine_times[k] = (struct ep_machine_times){ .time_us = 1000000 * k,
			.is_known = { [EP_MACHINE_BUSY_US] = true, [EP_MACHINE_STOLEN_US] = true },
			.values = { [EP_MACHINE_BUSY_US] = 500 + 8000000 * k,
				[EP_MACHINE_STOLEN_US] = 70 + 2000000 * k } };
	threads[1].totals.n_minor_faults = 5;
	threads[2].totals.n_minor_faults = 6;
	threads[2].totals.n_major_faults = 7;
	ep_groups_add_lacking(&builder, groups, group_of);
	CHECK(isnan(groups[0].stolen_share));
	CHECK_CLOSE(groups[1].stolen_share, 0.25, 1e-9);
	CHECK_CLOSE(groups[1].machine_busy_s, 6, 1e-9);
	CHECK_CLOSE(groups[1].lacking_s, 3, 1e-9);
	CHECK_INT(groups[1].n_minor_faults, 11);
	CHECK_INT(groups[1].n_major_faults, 7);
	CHECK_INT(groups[1].n_faults_most, 13);
}
