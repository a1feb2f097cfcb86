// SPDX-License-Identifier: BSD-3-Clause
/* How many threads ran at a time. */
#include "tests/unit/test.h"

#include <stdlib.h>

#include "reporter/facts/builder.h"

static struct ep_trace trace;
static struct ep_report_row rows[2];

static struct ep_report build(double foo_latency_share)
{
	struct ep_report report = { .procedures = { .rows = rows, .n_rows = 2 } };
	struct ep_builder builder = { .trace = &trace, .report = &report };

	rows[0] = (struct ep_report_row){ .self_share = 0.9, .self_latency_share = 0.9 };
	rows[1] = (struct ep_report_row){ .self_share = 0.066,
		.self_latency_share = foo_latency_share };
	ep_build_parallel(&builder);
	CHECK(!builder.out_of_memory);
	return report;
}

TEST(a_mean_and_how_long_one_ran_alone)
{
	struct ep_report report;

	trace = (struct ep_trace){ .parallel_us = { [0] = 9e6, [127] = 1e6, [300] = 9e3 } };
	report = build(0.9);
	CHECK_CLOSE(report.parallel.busy_s, 10.009, 1e-9);
	CHECK_CLOSE(report.parallel.alone_share, 9 / 10.009, 1e-9);
	CHECK_CLOSE(report.parallel.mean, (9 + 128 + 301 * 0.009) / 10.009, 1e-9);
	CHECK_INT(report.parallel.n_most, 128); /* 0.9 thousandths are chance */
	CHECK_CLOSE(report.parallel.times_s[127], 1, 1e-9);
	CHECK(report.parallel.is_telling);
	free(report.parallel.times_s);
	report = build(0.1); /* hardly another share than of the CPU time */
	CHECK(!report.parallel.is_telling);
	free(report.parallel.times_s);
}

/* One that waits for a CPU leaves another alone that would not be on a free machine. */
TEST(threads_that_lacked_cpus)
{
	struct ep_report report = { .procedures = { .rows = rows, .n_rows = 2 },
		.lacked_cpus = true };
	struct ep_builder builder = { .trace = &trace, .report = &report };

	trace = (struct ep_trace){ .parallel_us = { [0] = 9e6, [127] = 1e6 } };
	rows[0] = (struct ep_report_row){ .self_share = 0.1, .self_latency_share = 0.9 };
	ep_build_parallel(&builder);
	CHECK_CLOSE(report.parallel.alone_share, 0.9, 1e-9);
	CHECK(!report.parallel.is_telling);
	free(report.parallel.times_s);
	report.lacked_cpus = false;
	ep_build_parallel(&builder);
	CHECK(report.parallel.is_telling);
	free(report.parallel.times_s);
}

TEST(what_is_not_known)
{
	struct ep_report report = { .selection = "thread 1" };
	struct ep_builder builder = { .trace = &trace, .report = &report };

	trace = (struct ep_trace){ .parallel_us = { 1e6 } };
	ep_build_parallel(&builder);
	CHECK_CLOSE(report.parallel.busy_s, 0, 0);
	report = (struct ep_report){ .is_exact = true };
	ep_build_parallel(&builder);
	CHECK_CLOSE(report.parallel.busy_s, 0, 0);
	trace = (struct ep_trace){ 0 };
	report = build(0.9);
	CHECK_CLOSE(report.parallel.busy_s, 0, 0);
	CHECK(!report.parallel.is_telling);
}
