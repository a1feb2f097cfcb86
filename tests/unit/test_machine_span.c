// SPDX-License-Identifier: BSD-3-Clause
/* Time that a host took and that the kernel charged to threads is left out of the costs of paths. */
#include "tests/unit/test.h"

#include <math.h>

#include "reporter/load/loader.h"
#include "reporter/load/machine_span.h"

static struct ep_machine_times at(uint64_t time_us, uint64_t stolen_us)
{
	return (struct ep_machine_times){ .time_us = time_us,
		.is_known = { [EP_MACHINE_STOLEN_US] = true },
		.values = { [EP_MACHINE_STOLEN_US] = stolen_us } };
}

/* stolen_us by the first of two files; the paths have 3 s too much. */
static struct ep_trace leave_out(struct ep_path_cost *costs, uint64_t stolen_us)
{
	struct ep_trace_process processes[] = {
		{ .n_machine_times = 2,
			.machine_times = { at(0, 500), at(9000, 500 + stolen_us) } },
		{ .file_idx = 1, .n_machine_times = 2, .machine_times = { at(0, 9), at(7, 9) } },
	};
	struct ep_trace trace = { .processes = processes,
		.n_processes = 2,
		.reader.n_files = 2,
		.costs = costs,
		.n_costs = 3 };

	costs[0].cost = (struct ep_cost){ .cpu_us = 5000000, .not_system_us = 2000000 };
	costs[1].cost = (struct ep_cost){ .cpu_us = 1000000, .not_system_us = 1000000 };
	costs[2].cost = (struct ep_cost){ .cpu_us = 4000000, .hidden_us = 4000000 };
	ep_leave_out_stolen(&trace);
	return trace;
}

TEST(all_of_it_where_the_host_took_more)
{
	struct ep_path_cost costs[3] = { 0 };

	CHECK_INT(leave_out(costs, 8000000).stolen_us, 3000000);
	CHECK_INT(costs[0].cost.cpu_us, 3000000);
	CHECK_INT(costs[1].cost.cpu_us, 0);
	CHECK_INT(costs[2].cost.cpu_us, 4000000);
}

TEST(no_more_than_the_host_took)
{
	struct ep_path_cost costs[3] = { 0 };

	CHECK_INT(leave_out(costs, 1500000).stolen_us, 1500000);
	CHECK_INT(costs[0].cost.cpu_us, 4000000);
	CHECK_INT(costs[1].cost.cpu_us, 500000);
	CHECK_INT(leave_out(costs, 0).stolen_us, 0);
	CHECK_INT(costs[0].cost.cpu_us, 5000000);
}

/* Damaged traces have times that no clock shows, and more to leave out than there is. */
TEST(broken_numbers_do_not_wrap)
{
	struct ep_trace_process process = { .born_ns = 1ull << 60,
		.n_machine_times = 2,
		.machine_times = { at(0, 0), at(UINT64_MAX / 1000, 5) } };
	struct ep_path_cost cost = { .cost = { .cpu_us = 10, .not_system_us = 4000 } };
	struct ep_trace trace = { .processes = &process,
		.n_processes = 1,
		.reader.n_files = 1,
		.costs = &cost,
		.n_costs = 1 };
	struct ep_machine_span span =
		ep_machine_span_of_file(&trace, 0, EP_MACHINE_BIT(EP_MACHINE_STOLEN_US));

	CHECK(span.from_ns == 1ull << 60 && span.to_ns == UINT64_MAX);
	CHECK_CLOSE(ep_machine_span_growth(&span, EP_MACHINE_STOLEN_US), 5, 0);
	process.machine_times[1].values[EP_MACHINE_STOLEN_US] = 1000000;
	ep_leave_out_stolen(&trace);
	CHECK_INT(cost.cost.cpu_us, 0);
	CHECK_INT(trace.stolen_us, 10);
}

/* Both ends are 0 on the clock, and one end alone is no span. */
TEST(one_moment_is_no_span)
{
	struct ep_trace_process process = { .n_machine_times = 1,
		.machine_times = { at(0, 3), at(0, 3) } };
	struct ep_trace trace = { .processes = &process, .n_processes = 1, .reader.n_files = 1 };
	struct ep_machine_span span =
		ep_machine_span_of_file(&trace, 0, EP_MACHINE_BIT(EP_MACHINE_STOLEN_US));

	CHECK(span.first && span.last);
	CHECK(isnan(ep_machine_span_growth(&span, EP_MACHINE_STOLEN_US)));
	span = ep_machine_span_longest(&trace, EP_MACHINE_BIT(EP_MACHINE_BUSY_US));
	CHECK(!span.first && isnan(ep_machine_span_growth(&span, EP_MACHINE_BUSY_US)));
}
