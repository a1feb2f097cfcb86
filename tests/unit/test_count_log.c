// SPDX-License-Identifier: BSD-3-Clause
/* Counts of a log that grows too long are merged, and lose none. */
#include "tests/unit/test.h"

#include "reporter/export/count_log.h"

/* Slices of two groups in turn: event 3 is in all, 5 and 7 each in every other one. */
static void see(struct ep_count_log *log, uint32_t thread_idx, uint32_t n)
{
	static const uint32_t event_idx[] = { 3, 5, 7, EP_COUNT_EVENTS };
	static const double filled[4] = { 111, 111, 111, 111 };

	for (uint32_t i = 0; i < n; i++) {
		const uint8_t state[4] = { EP_VALUE_MEASURED,
			i % 2 ? EP_VALUE_FILLED : EP_VALUE_MEASURED,
			i % 2 ? EP_VALUE_MEASURED : EP_VALUE_MISSING, EP_VALUE_MEASURED };
		const uint64_t counted[4] = { 10, 1, 2, 1000 };
		struct ep_seen_time time = { .thread_idx = thread_idx,
			.end_us = 1000 * (i + 1),
			.values = filled,
			.state = state,
			.event_idx = event_idx,
			.n_events = 4,
			.counted = counted };

		CHECK_INT(ep_count_log_see(log, &time, 1), 0);
	}
}

static uint64_t sum_of(const struct ep_count_log *log, uint32_t thread_idx, uint32_t event_idx)
{
	const struct ep_count_row *row = ep_count_log_row(log, thread_idx, event_idx);
	uint64_t sum = 0, last_us = 0;

	for (uint32_t i = 0; row && i < row->n_entries; i++) {
		CHECK(row->entries[i].end_us > last_us);
		CHECK(row->entries[i].n_merged <= log->n_per_entry);
		last_us = row->entries[i].end_us;
		sum += row->entries[i].count;
	}
	return sum;
}

TEST(only_what_was_measured_is_kept)
{
	struct ep_count_log log = { .most = 1000 };

	see(&log, 1, 100);
	CHECK_INT(log.n_per_entry, 1);
	CHECK_INT(sum_of(&log, 1, 3), 1000);
	CHECK_INT(sum_of(&log, 1, 5), 50);
	CHECK_INT(sum_of(&log, 1, 7), 100);
	CHECK_INT(ep_count_log_row(&log, 1, 5)->n_entries, 50);
	CHECK_INT(ep_count_log_row(&log, 0, 3)->n_entries, 0);
	CHECK(!ep_count_log_row(&log, 2, 3));
	CHECK(!ep_count_log_row(&log, 1, EP_COUNT_EVENTS));
	ep_count_log_finish(&log);
}

TEST(merged_counts_keep_their_sums)
{
	struct ep_count_log log = { .most = 1000 };

	see(&log, 0, 30000);
	see(&log, 1, 3);
	CHECK(log.n_entries <= 1000);
	CHECK(log.n_per_entry > 1);
	CHECK_INT(sum_of(&log, 0, 3), 300000);
	CHECK_INT(sum_of(&log, 0, 5), 15000);
	CHECK_INT(sum_of(&log, 0, 7), 30000);
	CHECK_INT(sum_of(&log, 1, 3), 30);
	ep_count_log_finish(&log);
}
