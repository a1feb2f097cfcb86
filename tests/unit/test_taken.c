// SPDX-License-Identifier: BSD-3-Clause
/* The time that was taken from a run: the difference of the accounts at the beginning and end of
 * its file. */
#include "tests/unit/test.h"

#include <math.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"

#define S 1000000ull /* in us */

static struct ep_machine_times at(uint64_t time_us, uint64_t busy_us, uint64_t stolen_us)
{
	return (struct ep_machine_times){ .time_us = time_us,
		.is_known = { [EP_MACHINE_BUSY_US] = true, [EP_MACHINE_STOLEN_US] = true },
		.values = { [EP_MACHINE_BUSY_US] = busy_us, [EP_MACHINE_STOLEN_US] = stolen_us } };
}

static struct ep_report build(struct ep_trace_process *processes, uint32_t n)
{
	struct ep_trace trace = { .processes = processes, .n_processes = n };
	struct ep_report report = { 0 };
	struct ep_builder builder = { .trace = &trace, .report = &report };

	ep_build_machine_times(&builder);
	return report;
}

static bool is_unknown(struct ep_quantity quantity)
{
	return !ep_quantity_is_known(&quantity) && quantity.reason;
}

/* The last account is often that of the program which the first became. */
TEST(first_and_last_of_a_file)
{
	struct ep_trace_process processes[] = {
		{ .born_ns = 5000,
			.n_machine_times = 1,
			.machine_times = { at(1, 100 * S, 7 * S), at(1, 100 * S, 7 * S) } },
		{ .born_ns = 9000 },
		{ .born_ns = 2000 * S,
			.n_machine_times = 1,
			.machine_times = { at(9 * S, 110 * S, 9 * S), at(9 * S, 110 * S, 9 * S) } },
	};
	struct ep_report report = build(processes, 3);

	CHECK_CLOSE(report.stolen_share.value, 0.2, 1e-12);
	CHECK(is_unknown(report.limited_share) && is_unknown(report.limited_s));
}

TEST(one_account_says_nothing)
{
	struct ep_trace_process process = { .n_machine_times = 1,
		.machine_times = { at(1, 100 * S, 7 * S), at(1, 100 * S, 7 * S) } };

	CHECK(is_unknown(build(&process, 1).stolen_share));
	CHECK(is_unknown(build(&process, 0).stolen_share));
}

TEST(known_at_one_end_only)
{
	struct ep_trace_process process = { .n_machine_times = 2,
		.machine_times = { at(1, 100 * S, 7 * S), at(S, 200 * S, 8 * S) } };

	CHECK_CLOSE(build(&process, 1).stolen_share.value, 0.01, 1e-12);
	process.machine_times[0].is_known[EP_MACHINE_STOLEN_US] = false;
	CHECK(is_unknown(build(&process, 1).stolen_share));
	process.machine_times[0] = at(1, 100 * S, 9 * S); /* kernels have let it fall */
	CHECK(is_unknown(build(&process, 1).stolen_share));
}

/* Ranks of several machines: the file that took longest. */
TEST(several_files)
{
	struct ep_trace_process processes[] = {
		{ .file_idx = 0,
			.n_machine_times = 2,
			.machine_times = { at(0, 0, 0), at(S, 10 * S, 1 * S) } },
		{ .file_idx = 1,
			.n_machine_times = 2,
			.machine_times = { at(0, 0, 0), at(3 * S, 10 * S, 4 * S) } },
	};

	CHECK_CLOSE(build(processes, 2).stolen_share.value, 0.4, 1e-12);
}

/* A file that lacks an account says nothing of it, however long it is. */
TEST(of_a_file_that_knows_both)
{
	struct ep_trace_process processes[] = {
		{ .file_idx = 0,
			.n_machine_times = 2,
			.machine_times = { at(0, 0, 0), at(9 * S, 10 * S, 9 * S) } },
		{ .file_idx = 1,
			.n_machine_times = 2,
			.machine_times = { at(0, 0, 0), at(3 * S, 10 * S, 4 * S) } },
	};

	processes[0].machine_times[1].is_known[EP_MACHINE_STOLEN_US] = false;
	CHECK_CLOSE(build(processes, 2).stolen_share.value, 0.4, 1e-12);
	processes[0].machine_times[1].is_known[EP_MACHINE_STOLEN_US] = true;
	processes[0].machine_times[1].is_known[EP_MACHINE_BUSY_US] = false;
	CHECK_CLOSE(build(processes, 2).stolen_share.value, 0.4, 1e-12);
	CHECK(is_unknown(build(processes, 2).limited_s));
}

TEST(limits)
{
	struct ep_trace_process process = { .n_machine_times = 2 };

	for (int i = 0; i < 2; i++) {
		struct ep_machine_times *times = &process.machine_times[i];

		times->time_us = (uint64_t)i * S;
		for (int what = EP_MACHINE_N_PERIODS; what <= EP_MACHINE_THROTTLED_US; what++)
			times->is_known[what] = true;
		times->values[EP_MACHINE_N_PERIODS] = i ? 120 : 20;
		times->values[EP_MACHINE_N_THROTTLED] = i ? 45 : 20;
		times->values[EP_MACHINE_THROTTLED_US] = i ? 5 * S : 2 * S;
	}
	CHECK_CLOSE(build(&process, 1).limited_share.value, 0.25, 1e-12);
	CHECK_CLOSE(build(&process, 1).limited_s.value, 3, 1e-12);
}

TEST(what_others_kept_busy)
{
	struct ep_trace_process process = { .n_machine_times = 2,
		.machine_times = { at(0, 100 * S, 0), at(2 * S, 107 * S, 0) } };
	struct ep_trace trace = { .processes = &process, .n_processes = 1 };
	struct ep_report report = {
		.n_hosts = 1, .charged_s = 2, .cpu_ns = 1900 * S, .duration_s = 2
	};
	struct ep_builder builder = { .trace = &trace, .report = &report };

	ep_build_machine_times(&builder);
	CHECK_CLOSE(report.others_cpus.value, 2.5, 1e-9);
	report.charged_s = 8; /* more than the ticks say */
	ep_build_machine_times(&builder);
	CHECK_CLOSE(report.others_cpus.value, 0, 0);
	report.selection = "rank 1";
	ep_build_machine_times(&builder);
	CHECK(is_unknown(report.others_cpus));
	report.selection = NULL;
	report.n_hosts = 2;
	ep_build_machine_times(&builder);
	CHECK(is_unknown(report.others_cpus));
	report.n_hosts = 1;
	process.machine_times[1] =
		at(S / 100, 100 * S + S / 50, 0); /* two CPUs' steps in one step's time */
	ep_build_machine_times(&builder);
	CHECK(is_unknown(report.others_cpus));
}
