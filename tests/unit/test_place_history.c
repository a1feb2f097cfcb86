// SPDX-License-Identifier: BSD-3-Clause
/* The counts that slices measured, place by place. */
#include "tests/unit/test.h"

#include "reporter/fill/place_history.h"

TEST(rates_are_weighted_by_time)
{
	struct ep_place_sums sums = { 0 };
	struct ep_place_rate rate;

	ep_place_sums_add(&sums, 10, 1);
	ep_place_sums_add(&sums, 20, 3);
	rate = ep_place_rate_of(&sums);
	CHECK_INT(sums.n, 2);
	CHECK_CLOSE(rate.mean, 17.5, 1e-12);
	CHECK_CLOSE(rate.scatter, sqrt((7.5 * 7.5 + 3 * 2.5 * 2.5) / 4), 1e-12);
}

TEST(one_slice_does_not_scatter)
{
	struct ep_place_sums sums = { 0 };

	ep_place_sums_add(&sums, 1e9 / 3, 7e-3);
	CHECK(ep_place_rate_of(&sums).scatter >= 0); /* no root of what rounding left */
	CHECK(ep_place_rate_of(&sums).scatter < 1e-6 * ep_place_rate_of(&sums).mean);
}

/* Many, of which more than one falls on the same recent one. */
TEST(every_place_has_its_own)
{
	enum { N = 1000 };
	struct ep_place_history history = { .n_events = 3 };

	for (int round = 0; round < 2; round++)
		for (uint64_t place = 0; place < N; place++)
			ep_place_sums_add(
				&ep_place_history_at(&history, place)[place % 3], (double)place, 1);
	CHECK_INT(history.n_places, N);
	for (uint64_t place = 0; place < N; place++) {
		const struct ep_place_sums *sums = ep_place_history_at(&history, place);

		for (uint64_t e = 0; e < 3; e++) {
			CHECK_INT(sums[e].n, e == place % 3 ? 2 : 0);
			CHECK_CLOSE(sums[e].count, e == place % 3 ? 2.0 * (double)place : 0, 0);
		}
	}
	CHECK(ep_place_history_find(&history, 7) == ep_place_history_at(&history, 7));
	CHECK(ep_place_history_find(&history, N) == NULL);
	CHECK_INT(history.n_places, N);
	ep_place_history_finish(&history);
}

TEST(so_many_places_that_memory_would_grow_are_not_kept)
{
	struct ep_place_history history = { .n_events = 200 };
	uint64_t n = 0;

	while (n < 100000 && ep_place_history_at(&history, n))
		n++;
	CHECK(n >= 1000 && n < 10000);
	CHECK(ep_place_history_at(&history, n - 1) != NULL); /* those that are there stay */
	CHECK(ep_place_history_at(&history, n) == NULL);
	ep_place_history_finish(&history);
}
