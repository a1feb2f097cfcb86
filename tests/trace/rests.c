// SPDX-License-Identifier: BSD-3-Clause
/*
 * A run that waits and names regions, of a thread that writes three blocks, and one that waits for it:
 *
 *   from 0 to 0.1 s        computes in region load
 *   from 0.1 to 0.3 s      50 times 1 ms of work and 3 ms for data, in load
 *   from 0.3 to 0.4 s      computes in region solve
 *   from 0.4 to 0.6 s      waits for a mutex, in solve
 *   until 0.7 s            computes in no region
 */
#include "common/cleanup.h"
#include "tests/trace/runs.h"

#define MS 1000000ull

enum { LOAD = 1, SOLVE = 2 };
static const uint32_t reading[] = { 4 }, solving[] = { 3 };

static void put_wait(struct run *run, uint32_t thread, struct ep_wait_sum sum)
{
	struct ep_waits waits = { .thread = thread, .n_sums = 1, .sums = &sum };

	if (sum.name) {
		waits.n_names = 1;
		waits.names[0] = (struct ep_wait_name){ "/data/in", 8 };
	}
	trace_put_waits(run->writer, &waits);
}

static void put_part(
	struct run *run, const uint32_t *node, uint64_t first, uint32_t n, uint64_t off_us)
{
	struct slices slices = { .n_slices = n,
		.node_of = node,
		.n_node_of = 1,
		.first_slice = first,
		.off_us = off_us };

	put_slices(run, &slices);
}

static void put_block_end(struct run *run, uint64_t n_samples, bool is_last)
{
	struct ep_totals totals = { .tid = run->pid,
		.name = "server",
		.name_size = 6,
		.final = is_last,
		.end_us = run->time_us,
		.cpu_ns = n_samples * MS,
		.n_samples = n_samples };

	trace_put_totals(run->writer, &totals);
	trace_flush(run->writer);
}

static void put_main(struct run *run)
{
	struct ep_region_node nodes[] = { { 0, "load", 4 }, { 0, "solve", 5 } };
	struct ep_region_sum load = { LOAD, 1, 100 * MS }, loaded = { LOAD, 1, 300 * MS };
	struct ep_region_sum solved = { SOLVE, 1, 300 * MS };
	struct ep_region_change begin = { 0, LOAD }, changes[] = { { 150, SOLVE }, { 251, 0 } };

	put_stacks(run, 0);
	trace_put_regions(run->writer, &(struct ep_regions){ .n_open = 1,
					       .first_node = 1,
					       .n_nodes = 2,
					       .n_sums = 1,
					       .n_changes = 1,
					       .nodes = nodes,
					       .sums = &load,
					       .changes = &begin });
	put_part(run, solving, 0, 100, 0);
	put_block_end(run, 100, false);

	trace_put_regions(
		run->writer, &(struct ep_regions){ .first_node = 3, .n_sums = 1, .sums = &loaded });
	put_part(run, reading, 100, 50, 3000);
	put_wait(run, 0, (struct ep_wait_sum){ 4, EP_WAIT_READ, 50, 150 * MS, 3 * MS, .name = 1 });
	put_block_end(run, 150, false);

	trace_put_regions(run->writer, &(struct ep_regions){ .first_node = 3,
					       .n_sums = 1,
					       .n_changes = 2,
					       .sums = &solved,
					       .changes = changes });
	put_part(run, solving, 150, 100, 0);
	put_part(run, solving, 250, 1, 199000);
	put_part(run, solving, 251, 100, 0);
	put_wait(run, 0,
		(struct ep_wait_sum){ 7, EP_WAIT_MUTEX, 1, 199 * MS, 199 * MS, .object = 0x5000 });
	put_block_end(run, 351, true);
}

/* All its waiting is one call, which its only block tells of. */
static void put_other(struct run *run)
{
	uint64_t end_us = run->time_us;

	run->time_us = 0;
	put_stacks(run, 1);
	put_slices(run, &(struct slices){ .thread = 1,
				.n_slices = 1,
				.node_of = solving,
				.n_node_of = 1,
				.off_us = 699000 });
	put_wait(run, 1, (struct ep_wait_sum){ 7, EP_WAIT_CONDITION, 1, 699 * MS, 699 * MS });
	put_totals_of(run, 1, "watcher", &(struct ep_totals){ .cpu_ns = MS, .n_samples = 1 });
	run->time_us = end_us;
}

void put_rests(struct run *run)
{
	put_process(run, 4242, BIRTH_NS, "server\t--port\t80", "waits_ns\t100000\n");
	put_main(run);
	put_other(run);
	trace_put_end(run->writer, &(struct ep_end){ .time_us = run->time_us + 1000,
					   .how = EP_END_EXIT,
					   .user_us = 352000,
					   .peak_rss_kib = 20480 });
	trace_put_eof(run->writer);
}
