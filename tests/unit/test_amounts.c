// SPDX-License-Identifier: BSD-3-Clause
/* Amounts of the machine: each is read from a file that knows it, over the time that its readings span. */
#include "tests/unit/test.h"

#include <stdlib.h>

#include "reporter/facts/builder.h"

#define S 1000000ull /* in us */
#define J 1000000ull /* in uJ */

static struct ep_machine_times energy(uint64_t time_us, uint64_t package_uj)
{
	return (struct ep_machine_times){ .time_us = time_us,
		.is_known = { [EP_MACHINE_PACKAGE_UJ] = true },
		.values = { [EP_MACHINE_PACKAGE_UJ] = package_uj } };
}

static struct ep_machine_times with_memory(struct ep_machine_times times, uint64_t memory_uj)
{
	times.is_known[EP_MACHINE_MEMORY_UJ] = true;
	times.values[EP_MACHINE_MEMORY_UJ] = memory_uj;
	return times;
}

static void build(struct ep_trace_process *processes, uint32_t n, struct ep_report *report)
{
	struct ep_trace trace = { .processes = processes, .n_processes = n };
	struct ep_builder builder = { .trace = &trace, .report = report };

	*report = (struct ep_report){ .n_hosts = 1, .duration_s = 100 };
	ep_build_amounts(&builder);
}

/* A rank that ran longest may have no right to read what another one reads. */
TEST(of_a_file_that_knows_it)
{
	struct ep_machine_times lacking[] = { { .time_us = 0 }, { .time_us = 100 * S } };
	struct ep_machine_times package[] = { energy(0, 7 * J), energy(50 * S, 107 * J) };
	struct ep_machine_times both[] = { with_memory(energy(0, 0), 0),
		with_memory(energy(20 * S, 60 * J), 10 * J) };
	struct ep_trace_process processes[] = {
		{ .file_idx = 0, .n_machine_times = 2, .machine_series = lacking },
		{ .file_idx = 1, .n_machine_times = 2, .machine_series = package },
		{ .file_idx = 2, .n_machine_times = 2, .machine_series = both },
	};
	struct ep_report report;

	build(processes, 3, &report);
	CHECK(report.amounts[EP_MACHINE_PACKAGE_UJ].is_known);
	CHECK_CLOSE(report.amounts[EP_MACHINE_PACKAGE_UJ].total, 100, 1e-9);
	CHECK_CLOSE(report.amounts[EP_MACHINE_PACKAGE_UJ].span_s, 50, 1e-9);
	CHECK(report.amounts[EP_MACHINE_MEMORY_UJ].is_known);
	CHECK_CLOSE(report.amounts[EP_MACHINE_MEMORY_UJ].total, 10, 1e-9);
	CHECK(!report.amounts[EP_MACHINE_READ_BYTES].is_known);
	build(processes, 1, &report);
	CHECK(!report.amounts[EP_MACHINE_PACKAGE_UJ].is_known);
}

/* The first program of a process could not read, the one that it became could. */
TEST(programs_of_one_process_add_up)
{
	struct ep_machine_times first[] = { { .time_us = 0 }, { .time_us = 30 * S } };
	struct ep_machine_times second[] = { energy(0, 5 * J), energy(10 * S, 25 * J),
		energy(20 * S, 45 * J) };
	struct ep_machine_times third[] = { energy(0, 0), energy(20 * S, 40 * J) };
	struct ep_trace_process processes[] = {
		{ .n_machine_times = 2, .machine_series = first },
		{ .n_machine_times = 3, .machine_series = second },
		{ .n_machine_times = 2, .machine_series = third },
	};
	struct ep_report report;
	const struct ep_report_amount *amount = &report.amounts[EP_MACHINE_PACKAGE_UJ];

	build(processes, 3, &report);
	CHECK(amount->is_known);
	CHECK_CLOSE(amount->total, 80, 1e-9);
	CHECK_CLOSE(amount->span_s, 40, 1e-9);
	CHECK_CLOSE(amount->error, 2 * 1e-3 * 0.408, 1e-12); /* 2 W for a part of a ms */
}

/* An account that falls, and one that ends before its process does, tell nothing. */
TEST(not_known_to_the_end)
{
	struct ep_machine_times falls[] = { energy(0, 5 * J), energy(S, 4 * J) };
	struct ep_machine_times ends[] = { energy(0, 5 * J), energy(S, 6 * J),
		{ .time_us = 2 * S } };
	struct ep_machine_times backwards[] = { energy(9 * S, 5 * J), energy(S, 6 * J) };
	struct ep_trace_process process = { .n_machine_times = 2, .machine_series = falls };
	struct ep_report report;

	build(&process, 1, &report);
	CHECK(!report.amounts[EP_MACHINE_PACKAGE_UJ].is_known);
	process = (struct ep_trace_process){ .n_machine_times = 3, .machine_series = ends };
	build(&process, 1, &report);
	CHECK(!report.amounts[EP_MACHINE_PACKAGE_UJ].is_known);
	process = (struct ep_trace_process){ .n_machine_times = 2, .machine_series = backwards };
	build(&process, 1, &report);
	CHECK(!report.amounts[EP_MACHINE_PACKAGE_UJ].is_known);
}
