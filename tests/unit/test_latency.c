// SPDX-License-Identifier: BSD-3-Clause
/* Time divided among the threads that ran at each moment: perf's own example, slices beside a sum over
 * every moment, and places that looks for system calls found. */
#include "tests/unit/test.h"

#include <stdlib.h>

#include "common/cleanup.h"
#include "reporter/load/latency_private.h"
#include "reporter/load/load.h"
#include "tests/unit/two_groups.h"

static struct ep_path_cost costs[8];
static struct ep_path paths[8];
static struct ep_trace subject;

static void begin(uint32_t n_paths)
{
	memset(costs, 0, sizeof(costs));
	subject = (struct ep_trace){
		.costs = costs, .n_costs = n_paths, .paths = paths, .n_paths = n_paths
	};
	for (uint32_t i = 0; i < n_paths; i++)
		paths[i] = (struct ep_path){ .cost_idx = i };
}

static void see(uint64_t from_us, uint64_t to_us, uint64_t cpu_us, uint32_t path_idx)
{
	struct ep_latency_slice slice = { from_us, to_us, cpu_us, path_idx, false,
		ep_hash_mix(0, to_us) };

	CHECK_INT(ep_latency_see_running(&subject.latency, &slice), 0);
	CHECK_INT(ep_latency_see_path(&subject.latency, &slice), 0);
	costs[path_idx].cost.cpu_us += cpu_us;
}

static void end(void)
{
	ep_latency_destroy(subject.latency);
	subject.latency = NULL;
}

/* Linux' Documentation/cpu-and-latency-overheads.txt: foo for 9 s in one thread, then bar for 1 s in 128. */
TEST(the_example_of_perf)
{
	enum { SLICE_US = 10000, N_FOO = 900, N_BAR = 100, N_THREADS = 128 };
	double all_us = 0;

	begin(2);
	for (uint64_t i = 0; i < N_FOO; i++)
		see(i * SLICE_US, (i + 1) * SLICE_US, SLICE_US, 0);
	for (uint64_t thread = 0; thread < N_THREADS; thread++)
		for (uint64_t i = N_FOO; i < N_FOO + N_BAR; i++)
			see(i * SLICE_US, (i + 1) * SLICE_US, SLICE_US, 1);
	CHECK_INT(ep_latency_weigh(&subject), 0);
	all_us = costs[0].latency_us + costs[1].latency_us;
	CHECK_CLOSE(
		100. * N_FOO / (N_FOO + N_BAR * N_THREADS), 6.6, 0.05); /* as it is told there */
	CHECK_CLOSE(100 * costs[0].latency_us / all_us, 90, 0.1);
	CHECK_CLOSE(100 * costs[1].latency_us / all_us, 10, 0.1);
	CHECK_CLOSE(costs[0].alone_us, N_FOO * SLICE_US, 1e3);
	CHECK_CLOSE(costs[1].alone_us, 0, 1e3);
	CHECK_CLOSE(subject.parallel_us[0], N_FOO * SLICE_US, 1e3);
	CHECK_CLOSE(subject.parallel_us[N_THREADS - 1], N_BAR * SLICE_US, 1e3);
	end();
}

/* The same of a trace, from its blocks on. */
TEST(the_example_of_perf_in_a_trace)
{
	enum { SLICE_US = 10000, N_FOO = 90, N_BAR = 10, N_THREADS = 16 };
	static const struct ep_groups no_groups = { .period_us = SLICE_US };
	struct ep_stack_node nodes[] = { { 0, 0, 16 }, { 0, 0, 32 } };
	double latency_us[2] = { 0, 0 };
	struct ep_trace *trace;

	start_trace();
	trace_put_meta(&writer, "host\tn\nperiod_ns\t10000000\nclock\ttask-clock\n");
	for (uint32_t thread = 0; thread < N_THREADS; thread++) {
		struct ep_sample samples[N_FOO + N_BAR] = { { .cpu_us = 0 } };
		struct ep_samples block = { thread, 1, N_BAR, 0, samples, NULL };

		trace_put_stacks(&writer, &(struct ep_stacks){ thread, 1, 1, 2, nodes });
		block.n_samples += thread ? 0 : N_FOO;
		for (uint32_t i = 0; i < block.n_samples; i++)
			samples[i] = (struct ep_sample){ .cpu_us = SLICE_US,
				.wall_us = SLICE_US,
				.time_us = (N_FOO + N_BAR - block.n_samples + i + 1) * SLICE_US,
				.node_idx = block.n_samples - i > N_BAR ? 1 : 2 };
		trace_put_samples(&writer, &no_groups, &block, 0);
	}
	trace = finish_trace();
	for (uint32_t i = 0; i < trace->n_paths; i++) {
		const struct ep_path *path = &trace->paths[i];

		if (path->cost_idx != EP_NONE && path->address)
			latency_us[path->address == 32] += trace->costs[path->cost_idx].latency_us;
	}
	CHECK_CLOSE(latency_us[0], N_FOO * SLICE_US, 1e3);
	CHECK_CLOSE(latency_us[1], N_BAR * SLICE_US, 1e3);
	ep_trace_destroy(trace);
}

static uint64_t below(uint64_t n)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % n;
}

enum { N_MOMENTS = 3000, N_SLICES = 400, N_PLACES = 4 };

/* Slices begin and end where bins do, so that the sum over all moments is exact; unit_us: so much are
 * moments apart. They come in any order of time. */
static void check_beside_a_sum(uint64_t unit_us)
{
	static double n_threads[N_MOMENTS];
	static struct ep_latency_slice slices[N_SLICES];
	double wanted[N_PLACES] = { 0 }, alone[N_PLACES] = { 0 };

	begin(N_PLACES);
	memset(n_threads, 0, sizeof(n_threads));
	for (uint32_t i = 0; i < N_SLICES; i++) {
		uint64_t from = below(N_MOMENTS - 100), n = 1 + below(20);
		double rate = (double)(1 + below(4)) / 4;

		slices[i] = (struct ep_latency_slice){ (1000000 + from) * unit_us,
			(1000000 + from + n) * unit_us, (uint64_t)(rate * (double)(n * unit_us)),
			(uint32_t)below(N_PLACES), false };
		for (uint64_t at = from; at < from + n; at++)
			n_threads[at] += rate;
	}
	for (uint32_t i = 0; i < N_SLICES; i++) {
		const struct ep_latency_slice *s = &slices[i];
		uint64_t from = s->from_us / unit_us - 1000000, to = s->to_us / unit_us - 1000000;
		double part = (double)s->cpu_us / (double)(to - from);

		for (uint64_t at = from; at < to; at++) {
			wanted[s->path_idx] += part / (n_threads[at] > 1 ? n_threads[at] : 1);
			alone[s->path_idx] += n_threads[at] < 1.5 ? part : 0;
		}
		see(s->from_us, s->to_us, s->cpu_us, s->path_idx);
	}
	CHECK_INT(ep_latency_weigh(&subject), 0);
	for (uint32_t i = 0; i < N_PLACES; i++) {
		CHECK_CLOSE(costs[i].latency_us / wanted[i], 1, 1e-6);
		CHECK_CLOSE(costs[i].alone_us / alone[i], 1, 1e-6);
	}
	end();
}

TEST(slices_beside_a_sum_over_all_moments)
{
	check_beside_a_sum(64);
	check_beside_a_sum(128);
	check_beside_a_sum(
		1 << 14); /* bins became wider: the run is longer than all of them were */
	check_beside_a_sum(1 << 22);
}

/* Each kind of a path's time has its own weight. */
TEST(looks_for_system_calls)
{
	struct ep_latency_slice look = { 150000, 150000, 10000, 0, true };

	begin(2);
	see(0, 100000, 100000, 0);
	for (uint32_t i = 0; i < 4; i++)
		see(100000, 200000, 100000, 1);
	CHECK_INT(ep_latency_see_path(&subject.latency, &look), 0);
	costs[0].calls_us = 8000;
	costs[0].cost.cpu_us = 100000; /* with the calls' */
	CHECK_INT(ep_latency_weigh(&subject), 0);
	CHECK_CLOSE(costs[0].latency_us, 92000 + 8000. / 4, 100);
	CHECK_CLOSE(costs[0].alone_us, 92000, 100);
	CHECK_INT(ep_latency_weigh(&subject), 0); /* again: the same */
	CHECK_CLOSE(costs[0].latency_us, 92000 + 8000. / 4, 100);
	end();
}

/* Where there are more slices than are kept, a drawn part tells the same; it may have none of a
 * path's. */
TEST(more_slices_than_are_kept)
{
	enum { N = 300000, SLICE_US = 1000 };

	begin(4);
	for (uint64_t i = 0; i < N; i++) {
		see(i * SLICE_US, (i + 1) * SLICE_US, SLICE_US, 0);
		if (i / 1000 % 2)
			see(i * SLICE_US, (i + 1) * SLICE_US, SLICE_US, 1);
	}
	costs[2].cost.cpu_us = 1000000; /* known by looks at the end of threads alone */
	CHECK_INT(ep_latency_weigh(&subject), 0);
	CHECK_CLOSE(costs[0].latency_us / ((double)N * SLICE_US), 0.75, 0.01);
	CHECK_CLOSE(costs[1].latency_us / ((double)N * SLICE_US), 0.25, 0.01);
	CHECK_CLOSE(costs[2].latency_us / 1e6, 2. / 3, 0.01);
	CHECK_CLOSE(costs[3].latency_us, 0, 0);
	end();
}

/* A broken trace may have any times: nothing is written outside of the bins. */
TEST(odd_times)
{
	begin(1);
	see(5, 4, 100, 0);
	see(UINT64_MAX - 5, UINT64_MAX, 5, 0);
	see(UINT64_MAX / 4 - 5, UINT64_MAX / 4, 5, 0);
	see(0, 1, 1000000, 0);
	see(7, 7, 7, 0);
	CHECK_INT(ep_latency_weigh(&subject), 0);
	CHECK(costs[0].latency_us >= 0);
	end();
	begin(1);
	CHECK_INT(ep_latency_weigh(&subject), 0); /* nothing ran */
	CHECK_CLOSE(costs[0].latency_us, 0, 0);
}

/* A damaged file of sums may have any number of slices of one hash. */
TEST(more_slices_of_one_hash_than_are_kept)
{
	const struct ep_latency_kept same = { .from_us = 1000, .wall_us = 10, .cpu_us = 10 };

	begin(1);
	for (uint32_t i = 0; i < EP_LATENCY_KEPT + 3; i++)
		CHECK_INT(ep_latency_keep(&subject.latency, &same), 0);
	CHECK_INT(subject.latency->n_kept, EP_LATENCY_KEPT);
	end();
}
