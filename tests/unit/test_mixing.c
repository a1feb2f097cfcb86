// SPDX-License-Identifier: BSD-3-Clause
/* Which slices may hold other places' counts, by the order of the places. */
#include "tests/unit/test.h"

#include <string.h>

#include "common/cleanup.h"
#include "reporter/load/mixing.h"

enum { MOST = 400 };

/* Slices of places in turns of the given lengths, over and over. */
static uint32_t make_turns(const uint32_t *lengths, uint32_t n_lengths, uint32_t places[MOST])
{
	uint32_t n = 0;

	for (uint32_t turn = 0; n < MOST; turn++)
		for (uint32_t i = 0; i < lengths[turn % n_lengths] && n < MOST; i++)
			places[n++] = turn % n_lengths;
	return n;
}

static double sum_of(const float *values, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += (double)values[i];
	return sum;
}

TEST(turns_of_one_slice_are_mixed_throughout)
{
	static const uint32_t lengths[] = { 1, 1 };
	uint32_t places[MOST], n = make_turns(lengths, 2, places);
	float shares[MOST], away[MOST];

	ep_mixing_judge(places, n, shares, away);
	CHECK_CLOSE(sum_of(shares, n), MOST, 0);
}

/* In turns of twenty slices the one at each change is mixed, and no other. */
TEST(long_turns_are_mixed_at_their_changes)
{
	static const uint32_t lengths[] = { 20, 20 };
	uint32_t places[MOST], n = make_turns(lengths, 2, places);
	float shares[MOST], away[MOST];

	ep_mixing_judge(places, n, shares, away);
	for (uint32_t i = 0; i < n; i++) {
		CHECK_CLOSE((double)shares[i], i && i % 20 == 0, 0);
		CHECK_CLOSE((double)away[i], i && i % 20 == 0, 0);
	}
}

/* One slice elsewhere tells that there may be more where it was: as far as it reaches, no further. */
TEST(a_short_stay_reaches_its_neighbours)
{
	uint32_t places[MOST] = { 0 };
	float shares[MOST], away[MOST];

	places[100] = 1;
	ep_mixing_judge(places, MOST, shares, away);
	for (uint32_t i = 0; i < MOST; i++)
		CHECK_CLOSE((double)shares[i],
			i >= 100 - EP_REACH_SLICES && i <= 101 + EP_REACH_SLICES, 0);
	CHECK_CLOSE((double)away[100], 2 * EP_REACH_SLICES + 1, 0);
}

/* A first or last stay may have been long before or after. */
TEST(a_stay_at_an_end_may_be_a_long_one)
{
	uint32_t places[MOST] = { 1 };
	float shares[MOST], away[MOST];

	places[MOST - 1] = 2;
	ep_mixing_judge(places, MOST, shares, away);
	CHECK_CLOSE(sum_of(shares, MOST), 2, 0);
	ep_mixing_judge(places, 0, shares, away);
	ep_mixing_judge(places, 1, shares, away);
	CHECK_CLOSE(sum_of(shares, 1), 0, 0);
}

/* Long stays by chance, among short ones, are no proof of long turns. */
TEST(a_change_between_long_stays_near_short_ones_reaches_too)
{
	static const uint32_t lengths[] = { 1, 1, 1, 8, 8, 1 };
	uint32_t places[MOST], n = make_turns(lengths, 6, places);
	float shares[MOST], away[MOST];

	ep_mixing_judge(places, n, shares, away);
	CHECK_CLOSE(sum_of(shares, 60), 60, 0);
}
