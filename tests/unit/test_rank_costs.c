// SPDX-License-Identifier: BSD-3-Clause
/* The times of ranks are those of the report: in each path they add up to the path's time. */
#include "tests/unit/test.h"

#include "reporter/load/rank_costs.h"
#include "tests/unit/two_groups.h"

#define EVENTS                                                                                     \
	"event\t0\tcycles\talways\tcount\nevent\t1\ta\t-\tcount\nevent\t2\tb\t-\tcount\n"          \
	"group\t0\t0,1\ngroup\t1\t0,2\n"

static struct ep_stack_node nodes[] = { { 0, 0, 0x1020 }, { 0, 0, 0x1040 } };

enum { COMPUTE = 1, READ };

static void put_one(uint32_t node, uint64_t first, uint64_t us, uint32_t flags)
{
	struct ep_sample row = {
		.node_idx = node, .group = first % 2, .flags = flags, .cpu_us = us
	};
	uint64_t values[3] = { 0 };
	struct ep_samples samples = { 0, 1, 1, first, &row, values };

	trace_put_samples(&writer, &groups, &samples, 0);
}

static uint64_t us_of_ranks(const struct ep_trace *trace, uint32_t path_idx)
{
	uint64_t us = 0;

	for (uint32_t i = 0; i < trace->n_rank_costs; i++)
		us += trace->rank_costs[i].path_idx == path_idx ? trace->rank_costs[i].us : 0;
	return us;
}

static void check_sums(const struct ep_trace *trace)
{
	uint64_t all_us = 0;

	for (uint32_t i = 0; i < trace->n_paths; i++) {
		uint32_t cost_idx = trace->paths[i].cost_idx;
		uint64_t us = cost_idx == EP_NONE ? 0 : trace->costs[cost_idx].cost.cpu_us;

		CHECK_INT(us_of_ranks(trace, i), us);
		all_us += us;
	}
	CHECK(all_us > 0);
}

/* Looks found 16 ms of the kernel's 48 in read; the rest is beneath the ticks around it. */
TEST(system_calls_are_a_rank_s)
{
	struct ep_trace *trace;

	start_trace();
	trace_put_meta(&writer,
		"host\tn\nperiod_ns\t1000000\nclock\ttask-clock:u\ncalls_ns\t4000000\nrank\t0\n" EVENTS);
	put_nodes(1, nodes, 2);
	put_slices(48, COMPUTE, 0, 1000);
	for (uint64_t i = 0; i < 4; i++)
		put_one(READ, 48 + i, 0, EP_SAMPLE_AT_EVENT | EP_SAMPLE_IN_CALL);
	put_slices(12, COMPUTE, 52, 5000);
	trace = finish_trace();
	CHECK(us_of_ranks(trace, trace->n_paths - 1) > 0);
	check_sums(trace);
	ep_trace_destroy(trace);
}

TEST(ends_of_threads_are_a_rank_s)
{
	struct ep_trace *trace;

	start_trace();
	trace_put_meta(
		&writer, "host\tn\nperiod_ns\t1000000\nfirst_tick\trandom\nrank\t0\n" EVENTS);
	put_nodes(1, nodes, 2);
	put_slices(1, COMPUTE, 0, 300);
	put_slices(1, READ, 1, 1000);
	put_one(READ, 2, 500, EP_SAMPLE_CUT);
	trace = finish_trace();
	check_sums(trace);
	ep_trace_destroy(trace);
}

/* Three ranks have 60 of a path's 80 us, a process that is none the rest; then it has 100. */
/* A damaged file has ranks' times of a path and not the path's own: they are no share of nothing. */
TEST(ranks_of_a_path_that_was_lost)
{
	struct ep_rank_cost rows[] = { { 0, 0, 20, 0 }, { 1, 0, 5, 0 } };
	struct ep_path path = { .cost_idx = 0 };
	struct ep_path_cost cost = { .cost = { .cpu_us = 0 } };
	struct ep_trace trace = { .paths = &path,
		.n_paths = 1,
		.costs = &cost,
		.n_costs = 1,
		.rank_costs = rows,
		.n_rank_costs = 2 };
	struct ep_rank_weights weights;

	CHECK_INT(ep_rank_weights_begin(&trace, &weights), 0);
	cost.cost.cpu_us = 10; /* the kernel's hidden time, after the ranks' 25 */
	ep_rank_weights_apply(&trace, &weights);
	CHECK_INT(rows[0].us, 8);
	CHECK_INT(rows[1].us, 2);
}

TEST(ranks_share_their_part)
{
	struct ep_rank_cost rows[] = { { 2, 0, 20, 0 }, { 0, 0, 20, 0 }, { 1, 0, 20, 0 },
		{ 1, 0, 8, 1 } };
	struct ep_path path = { .cost_idx = 0 };
	struct ep_path_cost cost = { .cost = { .cpu_us = 80 }, .calls_us = 8 };
	struct ep_trace trace = { .paths = &path,
		.n_paths = 1,
		.costs = &cost,
		.n_costs = 1,
		.rank_costs = rows,
		.n_rank_costs = 4 };
	struct ep_rank_weights weights;

	CHECK_INT(ep_rank_weights_begin(&trace, &weights), 0);
	CHECK_INT(rows[0].thread_idx, 0);
	CHECK_INT(rows[3].thread_idx, 2);
	cost.cost.cpu_us = 100 + 4;
	cost.calls_us = 4;
	ep_rank_weights_apply(&trace, &weights);
	CHECK_INT(rows[0].us + rows[1].us + rows[3].us, 75);
	CHECK_INT(rows[0].us, 25);
	CHECK_INT(rows[2].is_of_calls, 1);
	CHECK_INT(rows[2].us, 4);
}
