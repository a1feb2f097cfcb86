// SPDX-License-Identifier: BSD-3-Clause
/* Slices to bins: whatever the order they come in, each part of a slice is where it was. */
#include "tests/unit/test.h"

#include "reporter/load/loader.h"

enum { CAPACITY = 8, MS = 1024 /* the first width, in microseconds */ };

static struct ep_timeline timeline;

static void add(uint64_t from_us, uint64_t to_us, uint64_t cpu_us)
{
	static const uint32_t columns[] = { 1 };
	double count = 10 * (double)cpu_us;
	struct ep_sample sample = {
		.time_us = to_us, .wall_us = to_us - from_us, .cpu_us = cpu_us
	};
	struct ep_timeline_slices slices = { 0, &sample, 1, &count, columns, 1 };

	CHECK_INT(ep_timeline_add(&timeline, CAPACITY, 2, &slices), 0);
	CHECK(timeline.n_bins <= CAPACITY);
}

/* The CPU time between two times, which are borders of bins; the counts must be ten times that. */
static double between(uint64_t from_us, uint64_t to_us)
{
	double sum = 0, counts = 0;

	for (uint32_t i = 0; i < timeline.n_bins; i++) {
		uint64_t at_us = timeline.start_us + i * timeline.width_us;

		if (at_us < from_us || at_us >= to_us)
			continue;
		sum += timeline.cpu_us[i];
		counts += timeline.counts[2 * i + 1];
		CHECK(timeline.counts[2 * i] == 0);
	}
	CHECK_CLOSE(counts, 10 * sum, 1e-12);
	return sum;
}

TEST(a_slice_is_shared_out_over_its_bins)
{
	add(10 * MS, 11 * MS, 100);
	add(11 * MS + MS / 2, 13 * MS, 300);
	CHECK_CLOSE(between(10 * MS, 11 * MS), 100, 1e-12);
	CHECK_CLOSE(between(11 * MS, 12 * MS), 100, 1e-12);
	CHECK_CLOSE(between(12 * MS, 13 * MS), 200, 1e-12);
	ep_timeline_finish(&timeline);
}

TEST(a_slice_of_no_length_counts)
{
	add(10 * MS, 10 * MS, 5);
	CHECK_CLOSE(between(10 * MS, 11 * MS), 5, 1e-12);
	ep_timeline_finish(&timeline);
}

TEST(earlier_slices_may_come_later)
{
	add(13 * MS, 14 * MS, 4);
	add(12 * MS, 13 * MS, 3);
	add(9 * MS, 10 * MS, 1);
	CHECK_INT(timeline.width_us, MS);
	CHECK_CLOSE(between(13 * MS, 14 * MS), 4, 1e-12);
	CHECK_CLOSE(between(12 * MS, 13 * MS), 3, 1e-12);
	CHECK_CLOSE(between(10 * MS, 12 * MS), 0, 0);
	CHECK_CLOSE(between(9 * MS, 10 * MS), 1, 1e-12);
	ep_timeline_finish(&timeline);
}

/* From an odd start, in both directions: bins are merged in pairs that begin at even ones. */
TEST(what_does_not_fit_makes_bins_wider)
{
	for (uint64_t i = 0; i < CAPACITY; i++)
		add((5 + i) * MS, (6 + i) * MS - 1, 1 + (double)i);
	CHECK_INT(timeline.width_us, MS);
	add(13 * MS, 14 * MS, 100);
	CHECK_INT(timeline.width_us, 2 * MS);
	CHECK_INT(timeline.start_us, 4 * MS);
	CHECK_CLOSE(between(4 * MS, 6 * MS), 1, 1e-12);
	CHECK_CLOSE(between(6 * MS, 8 * MS), 2 + 3, 1e-12);
	CHECK_CLOSE(between(12 * MS, 14 * MS), 8 + 100, 1e-12);
	add(0, MS, 50);
	CHECK_CLOSE(between(0, 2 * MS), 50, 1e-12);
	CHECK_CLOSE(between(0, 16 * MS), 50 + 36 + 100, 1e-12);
	add(1ull << 50, (1ull << 50) + 1, 7);
	CHECK_CLOSE(between(0, UINT64_MAX), 50 + 36 + 100 + 7, 1e-12);
	ep_timeline_finish(&timeline);
}

/* Changes of a count stay where the count is, when bins become wider and when rows do. */
TEST(changes_by_replica_go_with_their_counts)
{
	static const uint32_t columns[] = { 0 };
	const struct ep_value_change change = { { 2, -4, 0 }, { 3, 16, 0 } };
	double count = 1, sums[EP_N_REPLICAS] = { 0 };
	struct ep_sample sample = { .cpu_us = 1, .wall_us = 2 * MS };
	struct ep_timeline_slices slices = { 0, &sample, 1, &count, columns, 1, &change };

	for (uint32_t i = 1; i <= 2 * CAPACITY; i++) {
		sample.time_us = 2 * i * MS;
		CHECK_INT(ep_timeline_add(&timeline, CAPACITY, i > CAPACITY ? 3 : 2, &slices), 0);
	}
	for (uint32_t i = 0; i < timeline.n_bins; i++)
		for (size_t j = 0; j < EP_N_REPLICAS; j++)
			sums[j] += timeline.changes[i * 3 * EP_N_REPLICAS + j];
	for (size_t j = 0; j < EP_N_REPLICAS; j++)
		CHECK_CLOSE(sums[j], j == 3 ? 4. * CAPACITY : j == 16 ? -8. * CAPACITY : 0, 1e-6);
	CHECK_CLOSE(timeline.changes[3], 2 * timeline.counts[0], 1e-6);
	CHECK_CLOSE(timeline.changes[16], -4 * timeline.counts[0], 1e-6);
	ep_timeline_finish(&timeline);
}

/* A process of more events comes later: the counts before it keep their columns. */
TEST(more_events_than_before)
{
	static const uint32_t last[] = { 2 };
	double count = 3;
	struct ep_sample sample = { .time_us = 12 * MS, .wall_us = MS, .cpu_us = 1 };
	struct ep_timeline_slices slices = { 0, &sample, 1, &count, last, 1 };

	add(10 * MS, 11 * MS, 2);
	CHECK_INT(ep_timeline_add(&timeline, CAPACITY, 3, &slices), 0);
	CHECK_INT(timeline.n_events, 3);
	CHECK_CLOSE(timeline.counts[0 * 3 + 1], 20, 1e-12);
	CHECK_CLOSE(timeline.counts[1 * 3 + 2], 3, 1e-12);
	ep_timeline_finish(&timeline);
}
