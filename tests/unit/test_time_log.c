// SPDX-License-Identifier: BSD-3-Clause
/* Entries of a log that grows too long are merged, and lose no time. */
#include "tests/unit/test.h"

#include "reporter/export/time_log.h"

struct sums {
	uint64_t wall_us, cpu_us, n_merged;
	uint32_t n_in_first; /* entries that are in path 1 */
};

static struct sums sums_of(const struct ep_thread_log *thread)
{
	struct sums sums = { 0 };

	for (uint32_t i = 0; i < thread->n_entries; i++) {
		sums.wall_us += thread->entries[i].wall_us;
		sums.cpu_us += thread->entries[i].cpu_us;
		sums.n_merged += thread->entries[i].n_merged;
		sums.n_in_first += thread->entries[i].path_idx == 1;
	}
	return sums;
}

/* Three of four slices, of the same length, are in path 1. */
static void see(struct ep_time_log *log, uint32_t thread_idx, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct ep_seen_time time = { thread_idx, i % 4 ? 1 : 2, 1500 * (i + 1), 1500,
			1000 };

		CHECK_INT(ep_time_log_see(log, &time, 1), 0);
	}
}

TEST(few_entries_stay_as_they_are)
{
	struct ep_time_log log = { .most = 100 };

	see(&log, 1, 100);
	CHECK_INT(log.n_per_entry, 1);
	CHECK_INT(log.threads[0].n_entries, 0);
	CHECK_INT(log.threads[1].n_entries, 100);
	CHECK_INT(sums_of(&log.threads[1]).n_in_first, 75);
	ep_time_log_finish(&log);
}

TEST(merged_entries_keep_their_time_and_their_order)
{
	struct ep_time_log log = { .most = 1000 };
	const struct ep_thread_log *thread;
	struct sums sums;

	see(&log, 0, 30000);
	see(&log, 1, 1);
	thread = &log.threads[0];
	sums = sums_of(thread);
	CHECK(log.n_entries <= 1000);
	CHECK(thread->n_entries > 400);
	CHECK_INT(log.n_per_entry, 32);
	CHECK_INT(sums.n_merged, 30000);
	CHECK_INT(sums.cpu_us, 30000 * 1000);
	CHECK_INT(sums.wall_us, 30000 * 1500);
	for (uint32_t i = 1; i < thread->n_entries; i++) {
		CHECK(thread->entries[i].end_us > thread->entries[i - 1].end_us);
		CHECK(thread->entries[i].n_merged <= 32);
	}
	/* 0.75 of them, and six standard errors of a binomial draw */
	CHECK(sums.n_in_first > thread->n_entries * 0.75 - 6 * 0.44 * 32);
	CHECK(sums.n_in_first < thread->n_entries * 0.75 + 6 * 0.44 * 32);
	CHECK_INT(sums_of(&log.threads[1]).cpu_us, 1000);
	ep_time_log_finish(&log);
}

TEST(more_threads_than_entries_stay)
{
	struct ep_time_log log = { .most = 10 };

	for (uint32_t t = 0; t < 50; t++)
		see(&log, t, 3);
	CHECK_INT(log.n_threads, 50);
	for (uint32_t t = 0; t < 50; t++)
		CHECK_INT(sums_of(&log.threads[t]).cpu_us, 3000);
	CHECK(log.n_entries <= 100);
	ep_time_log_finish(&log);
}

/* Entries that end together: the time behind each, of which a walk from each of them would take
 * 10^11 steps. */
TEST(parts_of_a_slice_however_many)
{
	enum { N_PARTS = 400000 };
	struct ep_time_log log = { .most = UINT32_MAX };
	uint64_t behind_us = 0;
	bool is_right = true;

	for (uint32_t i = 0; i < N_PARTS; i++) {
		struct ep_seen_time time = { 0, 1, 5000, 3, 3 };

		CHECK_INT(ep_time_log_see(&log, &time, 1), 0);
	}
	CHECK_INT(ep_time_log_see(&log, &(struct ep_seen_time){ 0, 1, 6000, 7, 7 }, 1), 0);
	for (uint32_t i = 0; i < N_PARTS; i++) {
		ep_thread_log_step(&log.threads[0], i, &behind_us);
		is_right &= behind_us == 3 * (uint64_t)(N_PARTS - 1 - i);
	}
	CHECK(is_right);
	ep_thread_log_step(&log.threads[0], N_PARTS, &behind_us);
	CHECK_INT(behind_us, 0);
	ep_time_log_finish(&log);
}
