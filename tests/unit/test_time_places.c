// SPDX-License-Identifier: BSD-3-Clause
/* The share of places in the time that looks for system calls found. */
#include "tests/unit/test.h"

#include "reporter/load/time_places.h"
#include "tests/unit/two_groups.h"

static struct ep_stack_node nodes[] = { { 0, 0, 0x1020 }, { 0, 0, 0x1040 }, { 0, 0, 0x1060 } };

enum { COMPUTE = 1, READ, WRITE };

static const char looks_meta[] =
	"host\tn\nperiod_ns\t1000000\nclock\ttask-clock:u\ncalls_ns\t4000000\n"
	"event\t0\tcycles\talways\tcount\nevent\t1\ta\t-\tcount\nevent\t2\tb\t-\tcount\n"
	"group\t0\t0,1\ngroup\t1\t0,2\n";

/* n slices that looks ended, with flags beside those of a look; no time passed between them and the slice before. */
static void put_looks_with(
	uint32_t flags, uint32_t n, uint32_t node, uint64_t first, uint32_t n_more)
{
	struct ep_sample rows[8] = { 0 };
	uint64_t values[3 * 8] = { 0 };
	struct ep_samples samples = { 0, 1, n, first, rows, values };

	for (uint32_t i = 0; i < n; i++) {
		rows[i].node_idx = node;
		rows[i].group = (first + i) % 2;
		rows[i].flags = EP_SAMPLE_AT_EVENT | EP_SAMPLE_IN_CALL |
				ep_sample_more_looks_flags(n_more) | flags;
	}
	trace_put_samples(&writer, &groups, &samples, 0);
}

static void put_looks(uint32_t n, uint32_t node, uint64_t first, uint32_t n_more)
{
	put_looks_with(0, n, node, first, n_more);
}

static uint64_t us_of(const struct ep_trace *trace, uint64_t address)
{
	uint64_t us = 0;

	for (uint32_t i = 0; i < trace->n_paths; i++)
		if (trace->paths[i].cost_idx != EP_NONE && trace->paths[i].address == address)
			us += trace->costs[trace->paths[i].cost_idx].cost.cpu_us;
	return us;
}

/* 48 of 108 ms passed in the kernel; four looks each met read and write. */
TEST(a_look_stands_for_those_that_came_with_it)
{
	struct ep_trace *trace;

	start_trace();
	trace_put_meta(&writer, looks_meta);
	put_nodes(1, nodes, 3);
	put_slices(48, COMPUTE, 0, 1000);
	put_looks(4, READ, 48, 0);
	put_looks(4, WRITE, 52, 1);
	put_slices(12, COMPUTE, 56, 5000);
	trace = finish_trace();
	CHECK_INT(us_of(trace, 0x1040), 16000);
	CHECK_INT(us_of(trace, 0x1060), 32000);
	CHECK_INT(us_of(trace, 0x1020), 60000);
	ep_trace_destroy(trace);
}

/* The same with a half of the looks at READ in page faults: time is divided as before, and half of READ's is none of
 * system calls. */
TEST(page_faults_are_a_part_of_what_looks_found)
{
	uint64_t faults_us = 0, calls_us = 0;
	struct ep_trace *trace;

	start_trace();
	trace_put_meta(&writer, looks_meta);
	put_nodes(1, nodes, 3);
	put_slices(48, COMPUTE, 0, 1000);
	put_looks_with(EP_SAMPLE_IN_FAULT, 2, READ, 48, 0);
	put_looks(2, READ, 50, 0);
	put_looks(4, WRITE, 52, 1);
	put_slices(12, COMPUTE, 56, 5000);
	trace = finish_trace();
	CHECK_INT(us_of(trace, 0x1040), 16000);
	CHECK_INT(us_of(trace, 0x1060), 32000);
	for (uint32_t i = 0; i < trace->n_costs; i++) {
		faults_us += trace->costs[i].faults_us;
		calls_us += trace->costs[i].calls_us;
	}
	CHECK_INT(faults_us, 8000);
	CHECK_INT(calls_us, 48000);
	ep_trace_destroy(trace);
}

/* A file that says more of faults than of looks is damaged: nothing is more than the looks found. */
TEST(more_faults_than_looks_are_no_more_than_these)
{
	struct ep_trace *trace;

	start_trace();
	trace_put_meta(&writer, looks_meta);
	put_nodes(1, nodes, 3);
	put_slices(12, COMPUTE, 0, 5000);
	put_looks(2, READ, 12, 0);
	trace = finish_trace();
	for (uint32_t i = 0; i < trace->n_costs; i++)
		trace->costs[i].faults_us = 1u << 30;
	ep_time_places_weigh(trace);
	for (uint32_t i = 0; i < trace->n_costs; i++)
		CHECK(trace->costs[i].faults_us <= trace->costs[i].calls_us ||
			!trace->costs[i].calls_us);
	ep_trace_destroy(trace);
}

TEST(looks_have_room_beside_no_trigger)
{
	CHECK_INT(ep_sample_looks(EP_SAMPLE_AT_EVENT | EP_SAMPLE_IN_CALL), 1);
	CHECK_INT(ep_sample_looks(EP_SAMPLE_IN_CALL | ep_sample_more_looks_flags(5)), 6);
	CHECK_INT(ep_sample_looks(ep_sample_more_looks_flags(1000)), 1 + EP_MORE_LOOKS_MAX);
	CHECK_INT(ep_sample_trigger(ep_sample_more_looks_flags(1000)), -1);
	CHECK(!(ep_sample_more_looks_flags(1000) & EP_SAMPLE_IN_CALL));
}

static double squares_of(const struct ep_trace *trace, uint64_t address)
{
	double squares = 0;

	for (uint32_t i = 0; i < trace->n_paths; i++)
		if (trace->paths[i].cost_idx != EP_NONE && trace->paths[i].address == address)
			squares += trace->costs[trace->paths[i].cost_idx].squares;
	return squares;
}

static void put_last_piece(uint32_t node, uint64_t first, uint64_t us)
{
	struct ep_sample row = {
		.node_idx = node, .group = first % 2, .flags = EP_SAMPLE_CUT, .cpu_us = us
	};
	uint64_t values[3] = { 0 };
	struct ep_samples samples = { 0, 1, 1, first, &row, values };

	trace_put_samples(&writer, &groups, &samples, 0);
}

/* A short thread's only tick, after 0.3 ms of a window of 1 ms, stands for all of its time; its last piece
 * has neither time nor weight. */
TEST(a_first_tick_weighs_as_much_as_it_stands_for)
{
	struct ep_trace *trace;

	start_trace();
	trace_put_meta(&writer,
		"host\tn\nperiod_ns\t1000000\nfirst_tick\trandom\n"
		"event\t0\tcycles\talways\tcount\nevent\t1\ta\t-\tcount\nevent\t2\tb\t-\tcount\n"
		"group\t0\t0,1\ngroup\t1\t0,2\n");
	put_nodes(1, nodes, 3);
	put_slices(1, COMPUTE, 0, 300);
	put_last_piece(READ, 1, 500);
	trace = finish_trace();
	CHECK_INT(us_of(trace, 0x1020), 800);
	CHECK_INT(us_of(trace, 0x1040), 0);
	CHECK_CLOSE(squares_of(trace, 0x1020), 800. * 800, 1e-6);
	CHECK(squares_of(trace, 0x1040) < 1);
	ep_trace_destroy(trace);
}
