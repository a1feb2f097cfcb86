// SPDX-License-Identifier: BSD-3-Clause
/* A log of when waits and regions were stays small, and loses nothing of their sums. */
#include "tests/unit/test.h"

#include "reporter/export/sum_log.h"

enum { N = 10000, N_WAITS = 3, N_THREADS = 2 };

/* Each wait's N parts follow each other, 10 ms long each. */
static void fill(struct ep_sum_log *log)
{
	for (uint64_t i = 0; i < N; i++)
		for (uint32_t wait = 0; wait < N_WAITS; wait++)
			for (uint32_t thread = 0; thread < N_THREADS; thread++) {
				const struct ep_seen_sum sum = { .thread_idx = thread,
					.idx = wait,
					.start_us = i * 10000,
					.end_us = (i + 1) * 10000,
					.first_us = i * 10000,
					.last_us = (i + 2) * 10000,
					.n = 1,
					.ns = 100 * (wait + 1),
					.longest_ns = i };

				CHECK_INT(ep_sum_log_see(log, &sum), 0);
			}
}

TEST(entries_are_kept_where_they_fit)
{
	struct ep_sum_log log = { .most = N * N_WAITS * N_THREADS };

	fill(&log);
	CHECK_INT(log.n_entries, N * N_WAITS * N_THREADS);
	CHECK_INT(log.step_us, 0);
	ep_sum_log_finish(&log);
}

TEST(steps_become_longer_and_sums_stay)
{
	struct ep_sum_log log = { .most = 1000 };
	double n = 0, ns[N_WAITS] = { 0 };
	uint64_t longest_ns = 0;

	fill(&log);
	CHECK_MSG(log.n_entries <= 1000, "%u entries, steps of %llu us", log.n_entries,
		(unsigned long long)log.step_us);
	CHECK(log.step_us > 10000);
	for (uint32_t i = 0; i < log.n_entries; i++) {
		const struct ep_sum_entry *e = &log.entries[i];

		n += e->n;
		ns[e->idx] += e->ns;
		longest_ns = e->longest_ns > longest_ns ? e->longest_ns : longest_ns;
		CHECK(e->start_us < e->end_us && e->first_us <= e->start_us &&
			e->last_us >= e->end_us);
		CHECK(e->end_us - e->start_us <= 10000 || e->end_us - e->start_us <= log.step_us);
	}
	CHECK_CLOSE(n, N * N_WAITS * N_THREADS, 0);
	for (uint32_t wait = 0; wait < N_WAITS; wait++)
		CHECK_CLOSE(ns[wait], 100. * (wait + 1) * N * N_THREADS, 0);
	CHECK_INT(longest_ns, N - 1);
	ep_sum_log_finish(&log);
}

TEST(cpu_time_joins_the_waits_of_no_one)
{
	struct ep_sum_log log = { .most = 10 };
	struct ep_seen_time time = {
		.region_idx = 4, .end_us = 3000, .wall_us = 1000, .cpu_us = 900
	};

	CHECK_INT(ep_sum_log_see_time(&log, &time), 0);
	time.region_idx = EP_NONE;
	CHECK_INT(ep_sum_log_see_time(&log, &time), 0);
	CHECK_INT(log.n_entries, 1);
	CHECK_INT(log.entries[0].is_region, 1);
	CHECK_INT(log.entries[0].idx, 4);
	CHECK_INT(log.entries[0].start_us, 2000);
	CHECK_CLOSE(log.entries[0].cpu_ns, 900000, 0);
	CHECK(log.entries[0].first_us > log.entries[0].last_us);
	ep_sum_log_finish(&log);
}
