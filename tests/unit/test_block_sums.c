// SPDX-License-Identifier: BSD-3-Clause
/* Waits and regions of a part of the run: on which times the sums of a thread's blocks are laid. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "tests/unit/two_groups.h"

#define MS 1000ull
#define NS_OF_MS 1000000ull

static struct ep_stack_node nodes[] = { { 0, 0, 16 } };

/* Slices of 1 ms of CPU time each, the last of which ends at end_us. */
static void put_run(uint32_t thread, uint64_t first, uint32_t n, uint64_t wall_us, uint64_t end_us)
{
	struct ep_sample rows[16] = { 0 };
	uint64_t values[16 * 3] = { 0 };
	struct ep_samples samples = { thread, 1, n, first, rows, values };

	for (uint32_t i = 0; i < n; i++)
		rows[i] = (struct ep_sample){ .cpu_us = MS, .wall_us = wall_us, .node_idx = 1 };
	trace_put_samples(&writer, &groups, &samples, end_us - n * wall_us);
}

static void put_wait(uint32_t thread, uint64_t n, uint64_t ms)
{
	struct ep_wait_sum sum = { 1, EP_WAIT_READ, n, ms * NS_OF_MS,
		n == 1 ? ms * NS_OF_MS : NS_OF_MS };

	trace_put_waits(&writer,
		&(struct ep_waits){ .thread = thread, .epoch = 1, .n_sums = 1, .sums = &sum });
}

static void put_block_end(uint32_t thread, uint64_t end_us)
{
	trace_put_totals(
		&writer, &(struct ep_totals){
				 .thread = thread, .name = "t", .name_size = 1, .end_us = end_us });
}

static void start(void)
{
	char lines[1024];

	snprintf(lines, sizeof(lines), "%swaits_ns\t100000\n", meta);
	start_trace();
	trace_put_meta(&writer, lines);
	for (uint32_t thread = 0; thread < 2; thread++)
		trace_put_stacks(&writer, &(struct ep_stacks){ thread, 1, 1, 1, nodes });
}

/* 0 to 10 ms: it computes; to 30 ms: in each slice of 2 ms it waits for 1 ms. */
static void put_slices_with_waits(void)
{
	put_run(0, 0, 10, MS, 10 * MS);
	put_run(0, 10, 10, 2 * MS, 30 * MS);
	put_wait(0, 10, 10);
	put_block_end(0, 30 * MS);
}

/* The thread's last tick was at 5 ms. It waits until 25 ms, and writes nothing meanwhile: another thread does so
 * at 30 ms. */
static void put_block_of_another(void)
{
	put_run(0, 0, 5, MS, 5 * MS);
	put_block_end(0, 5 * MS);
	put_run(1, 0, 1, 30 * MS, 30 * MS);
	put_block_end(1, 30 * MS);
	put_wait(0, 1, 20);
	put_block_end(0, 5 * MS);
}

/* A slice of 29 ms began before the block before was written by another thread, at 10 ms. */
static void put_over_a_block(uint64_t wait_ms)
{
	put_run(0, 0, 1, MS, MS);
	put_run(1, 0, 1, 10 * MS, 10 * MS);
	put_block_end(1, 10 * MS);
	put_block_end(0, MS);
	put_run(0, 1, 1, 29 * MS, 30 * MS);
	put_wait(0, 1, wait_ms);
	put_block_end(0, 30 * MS);
}

/* It waits until 29 or 30 ms. */
static void put_wait_over_a_block(void)
{
	put_over_a_block(28);
}

/* Nothing tells that it did not begin before 10 ms. */
static void put_short_wait_over_a_block(void)
{
	put_over_a_block(15);
}

/* It waits from 1 ms on for 20 ms, and no time after 10 ms is told until then. */
static void put_block_of_untold_time(void)
{
	put_run(0, 0, 1, MS, MS);
	put_run(1, 0, 1, 10 * MS, 10 * MS);
	put_wait(0, 1, 20);
	put_block_end(0, MS);
}

/* From 1 to 9 ms it waits 10 times, then until 99 ms; another thread writes its blocks, at 10 ms and at 20 ms. */
static void put_wait_over_blocks_of_waits(void)
{
	put_run(0, 0, 1, MS, MS);
	put_run(1, 0, 1, 10 * MS, 10 * MS);
	put_block_end(1, 10 * MS);
	put_wait(0, 10, 8);
	put_block_end(0, MS);
	put_run(1, 1, 1, 10 * MS, 20 * MS);
	put_block_end(1, 20 * MS);
	put_block_end(0, MS);
	put_run(0, 1, 1, 99 * MS, 100 * MS);
	put_wait(0, 1, 90);
	put_block_end(0, 100 * MS);
}

/* The file was cut before the end of the block. */
static void put_no_end(void)
{
	put_run(0, 0, 10, MS, 10 * MS);
	put_run(0, 10, 10, 2 * MS, 30 * MS);
	put_wait(0, 10, 10);
}

/* It waits for 10 ms, and computes for longer than slices are kept. */
static void put_more_slices_than_are_kept(void)
{
	uint64_t n = 1, end_us = 11 * MS;

	put_run(0, 0, 1, end_us, end_us);
	for (; n < 66000; n += 16) {
		put_run(0, n, 16, MS, end_us += 16 * MS);
		trace_flush(&writer);
	}
	put_wait(0, 1, 10);
	put_block_end(0, end_us);
}

static struct ep_sum_share share_between(void (*put)(void), uint64_t from_ms, uint64_t to_ms)
{
	uint64_t birth_ns = 5000000000;
	const struct ep_load_options options = { .filler = &ep_filler_fixed,
		.from_ns = birth_ns + from_ms * NS_OF_MS,
		.to_ns = birth_ns + to_ms * NS_OF_MS };
	struct ep_sum_share share = { 0 };
	struct ep_trace *trace;

	start();
	put();
	trace = finish_trace_as(&options);
	CHECK_INT(trace->n_waits, 1);
	if (trace->n_waits)
		share = ep_wait_shown(&trace->part, &trace->waits[0]);
	ep_trace_destroy(trace);
	return share;
}

TEST(waits_lie_where_the_thread_was_off_the_cpu)
{
	static const struct {
		void (*put)(void);
		uint64_t from_ms, to_ms;
		double n, ms;
		bool is_cut;
	} rows[] = {
		{ put_slices_with_waits, 0, 10, 0, 0, false },
		{ put_slices_with_waits, 10, 30, 10, 10, false },
		{ put_slices_with_waits, 0, 40, 10, 10, false },
		{ put_slices_with_waits, 14, 18, 2, 2, true },
		{ put_slices_with_waits, 29, 40, .5, .5, true },
		{ put_block_of_another, 0, 5, 0, 0, false },
		{ put_block_of_another, 5, 30, 1, 20, false },
		{ put_block_of_another, 5, 10, .2, 4, true },
		{ put_wait_over_a_block, 0, 1, 0, 0, false },
		{ put_wait_over_a_block, 1, 30, 1, 28, false },
		{ put_wait_over_a_block, 1, 10, 8. / 28, 8, true },
		{ put_wait_over_a_block, 10, 30, 20. / 28, 20, true },
		{ put_wait_over_a_block, 20, 30, 10. / 28, 10, true },
		{ put_short_wait_over_a_block, 1, 30, 1, 15, false },
		{ put_short_wait_over_a_block, 10, 30, 1, 15, true },
		{ put_wait_over_blocks_of_waits, 0, 100, 11, 98, false },
		{ put_wait_over_blocks_of_waits, 1, 10, 10, 8, false },
		{ put_wait_over_blocks_of_waits, 10, 100, 1, 90, true },
		{ put_wait_over_blocks_of_waits, 15, 20, 5. / 90, 5, true },
		{ put_block_of_untold_time, 0, 1, 0, 0, false },
		{ put_block_of_untold_time, 1, 10, 9. / 20, 9, true },
		{ put_block_of_untold_time, 1, 22, 1, 20, false },
		{ put_no_end, 10, 30, 10, 10, false },
		{ put_no_end, 0, 5, 0, 0, false },
		{ put_more_slices_than_are_kept, 0, 100, 1, 10, false },
		{ put_more_slices_than_are_kept, 100, 70000, 0, 0, false },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_sum_share share =
			share_between(rows[i].put, rows[i].from_ms, rows[i].to_ms);

		CHECK_CLOSE(share.n, rows[i].n, 1e-9);
		CHECK_CLOSE(share.ns, rows[i].ms * 1e6, 1e-3);
		CHECK_INT(share.is_cut, rows[i].is_cut);
	}
}

TEST(no_range_has_more_waits_than_time)
{
	static void (*const puts[])(void) = { put_slices_with_waits, put_block_of_another,
		put_wait_over_a_block, put_short_wait_over_a_block, put_wait_over_blocks_of_waits,
		put_block_of_untold_time };
	uint32_t n_wrong = 0;

	for (size_t i = 0; i < EP_ARRAY_SIZE(puts); i++)
		for (uint64_t from_ms = 0; from_ms < 32; from_ms += 2)
			for (uint64_t to_ms = from_ms + 1; to_ms < 33; to_ms += 3)
				n_wrong += share_between(puts[i], from_ms, to_ms).ns >
					   (double)((to_ms - from_ms) * NS_OF_MS) + 1e-3;
	CHECK_INT(n_wrong, 0);
}

TEST(the_whole_run_has_all)
{
	struct ep_trace *trace;

	start();
	put_slices_with_waits();
	trace = finish_trace();
	CHECK_INT(trace->n_waits, 1);
	CHECK_CLOSE(ep_wait_shown(&trace->part, &trace->waits[0]).ns, 1e7, 0);
	CHECK_INT(ep_wait_shown(&trace->part, &trace->waits[0]).is_cut, 0);
	ep_trace_destroy(trace);
}

struct seen {
	uint64_t n_calls;
	double n, ns;
};

static int see(void *seer, const struct ep_seen_sum *sum)
{
	struct seen *seen = seer;

	seen->n_calls++;
	seen->n += sum->n;
	seen->ns += sum->ns;
	return 0;
}

/* 2000 sums in a block of 4000 slices that wait. */
TEST(many_sums_of_many_slices_are_seen_in_few_calls)
{
	struct seen seen = { 0 };
	const struct ep_load_options options = {
		.filler = &ep_filler_fixed, .see_sum = see, .seer = &seen
	};

	start();
	for (uint64_t n = 0; n < 4000; n += 16) {
		put_run(0, n, 16, 3 * MS, (n + 16) * 3 * MS);
		trace_flush(&writer);
	}
	for (int i = 0; i < 2000; i++) {
		put_wait(0, 4, 4);
		trace_flush(&writer);
	}
	put_block_end(0, 4000 * 3 * MS);
	ep_trace_destroy(finish_trace_as(&options));
	CHECK(seen.n_calls >= 2000 && seen.n_calls <= 1 << 18);
	CHECK_CLOSE(seen.n, 8000, 1e-6);
	CHECK_CLOSE(seen.ns, 8e9, 1);
}

/* It begins with slice 5, and ends with slice 9, in a block of 20. */
static struct ep_region region_between(uint64_t from_ms, uint64_t to_ms)
{
	uint64_t birth_ns = 5000000000;
	const struct ep_load_options options = { .filler = &ep_filler_fixed,
		.from_ns = birth_ns + from_ms * NS_OF_MS,
		.to_ns = birth_ns + to_ms * NS_OF_MS };
	struct ep_region_node node = { 0, "it", 2 };
	struct ep_region_sum sum = { 1, 4, 5 * NS_OF_MS };
	struct ep_region_change changes[] = { { 5, 1 }, { 10, 0 } };
	struct ep_trace *trace;
	struct ep_region region;

	start();
	trace_put_regions(&writer, &(struct ep_regions){ .first_node = 1,
					   .n_nodes = 1,
					   .n_sums = 1,
					   .n_changes = 2,
					   .nodes = &node,
					   .sums = &sum,
					   .changes = changes });
	put_run(0, 0, 10, MS, 10 * MS);
	put_run(0, 10, 10, MS, 20 * MS);
	put_block_end(0, 20 * MS);
	trace = finish_trace_as(&options);
	CHECK_INT(trace->regions.n_rows, 1);
	region = trace->regions.n_rows ? trace->regions.rows[0] : (struct ep_region){ 0 };
	ep_trace_destroy(trace);
	return region;
}

TEST(a_region_lies_in_slices_that_ended_in_it)
{
	static const struct {
		uint64_t from_ms, to_ms;
		double n, ms;
		bool is_cut;
	} rows[] = { { 0, 5, 0, 0, false }, { 5, 10, 4, 5, false }, { 0, 30, 4, 5, false },
		{ 8, 30, 1.6, 2, true }, { 10, 20, 0, 0, false } };

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_region region = region_between(rows[i].from_ms, rows[i].to_ms);

		CHECK_CLOSE(region.shown.n, rows[i].n, 1e-9);
		CHECK_CLOSE(region.shown.ns, rows[i].ms * 1e6, 1e-3);
		CHECK_INT(region.shown.is_cut, rows[i].is_cut);
		CHECK_INT(region.n_entries, 4);
	}
}
