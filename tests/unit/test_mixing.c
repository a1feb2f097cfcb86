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

static double sum_of(const uint8_t *values, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

TEST(turns_of_one_slice_are_mixed_throughout)
{
	static const uint32_t lengths[] = { 1, 1 };
	uint32_t places[MOST], n = make_turns(lengths, 2, places);
	uint32_t changes[MOST];
	uint8_t shares[MOST], away[MOST];

	ep_mixing_judge(places, n, changes, shares, away);
	CHECK_CLOSE(sum_of(shares, n), MOST, 0);
}

/* In turns of twenty slices the one at each change is mixed, and no other. */
TEST(long_turns_are_mixed_at_their_changes)
{
	static const uint32_t lengths[] = { 20, 20 };
	uint32_t places[MOST], n = make_turns(lengths, 2, places);
	uint32_t changes[MOST];
	uint8_t shares[MOST], away[MOST];

	ep_mixing_judge(places, n, changes, shares, away);
	for (uint32_t i = 0; i < n; i++) {
		CHECK_CLOSE(shares[i], i && i % 20 == 0, 0);
		CHECK_CLOSE(away[i], i && i % 20 == 0, 0);
	}
}

/* One slice elsewhere tells that there may be more where it was: as far as it reaches, no further. */
TEST(a_short_stay_reaches_its_neighbours)
{
	uint32_t places[MOST] = { 0 };
	uint32_t changes[MOST];
	uint8_t shares[MOST], away[MOST];

	places[100] = 1;
	ep_mixing_judge(places, MOST, changes, shares, away);
	for (uint32_t i = 0; i < MOST; i++)
		CHECK_CLOSE(shares[i], i >= 100 - EP_REACH_SLICES && i <= 101 + EP_REACH_SLICES, 0);
	CHECK_CLOSE(away[100], 2 * EP_REACH_SLICES + 1, 0);
}

/* A first or last stay may have been long before or after. */
TEST(a_stay_at_an_end_may_be_a_long_one)
{
	uint32_t places[MOST] = { 1 };
	uint32_t changes[MOST];
	uint8_t shares[MOST], away[MOST];

	places[MOST - 1] = 2;
	ep_mixing_judge(places, MOST, changes, shares, away);
	CHECK_CLOSE(sum_of(shares, MOST), 2, 0);
	ep_mixing_judge(places, 0, changes, shares, away);
	ep_mixing_judge(places, 1, changes, shares, away);
	CHECK_CLOSE(sum_of(shares, 1), 0, 0);
}

/* Long stays by chance, among short ones, are no proof of long turns. */
TEST(a_change_between_long_stays_near_short_ones_reaches_too)
{
	static const uint32_t lengths[] = { 1, 1, 1, 8, 8, 1 };
	uint32_t places[MOST], n = make_turns(lengths, 6, places);
	uint32_t changes[MOST];
	uint8_t shares[MOST], away[MOST];

	ep_mixing_judge(places, n, changes, shares, away);
	CHECK_CLOSE(sum_of(shares, 60), 60, 0);
}

/* ---- beside the rule as load/mixing.h words it, slice by slice ---- */

static bool is_change(const uint32_t *places, uint32_t n, uint32_t i)
{
	return i && i < n && places[i] != places[i - 1];
}

/* Does the stay that holds slice i begin and end inside, after less than EP_STAY_SLICES? */
static bool is_short_stay(const uint32_t *places, uint32_t n, uint32_t i)
{
	uint32_t from = i, to = i + 1;

	while (from && places[from - 1] == places[i])
		from--;
	while (to < n && places[to] == places[i])
		to++;
	return from && to < n && to - from < EP_STAY_SLICES;
}

static bool is_short_change(const uint32_t *places, uint32_t n, uint32_t i)
{
	return is_change(places, n, i) &&
	       (is_short_stay(places, n, i - 1) || is_short_stay(places, n, i));
}

static void reach(uint32_t at, uint32_t n, bool *is_mixed)
{
	for (uint32_t i = 0; i < n; i++)
		is_mixed[i] |= i + EP_REACH_SLICES >= at && i <= at + EP_REACH_SLICES;
}

static void check_by_rule(const uint32_t *places, uint32_t n)
{
	bool is_mixed[MOST] = { false };
	uint32_t changes[MOST];
	uint8_t shares[MOST], away[MOST];

	ep_mixing_judge(places, n, changes, shares, away);
	for (uint32_t i = 0; i < n; i++)
		if (is_short_change(places, n, i))
			reach(i, n, is_mixed);
	for (uint32_t i = 0; i < n; i++) {
		bool reaches = is_change(places, n, i) && is_mixed[i];

		CHECK_INT(away[i], reaches ? 2 * EP_REACH_SLICES + 1 : is_change(places, n, i));
		if (reaches)
			reach(i, n, is_mixed);
		is_mixed[i] |= is_change(places, n, i);
	}
	for (uint32_t i = 0; i < n; i++)
		CHECK_INT(shares[i], is_mixed[i]);
}

/* Stays of one to twelve slices in any order, so that all kinds of neighbours occur. */
TEST(turns_of_all_lengths_follow_the_rule)
{
	uint64_t hash = 1;

	for (uint32_t round = 0; round < 300; round++) {
		uint32_t places[MOST], n = 0, most = 1 + round, n_longest = 1 + round % 12;

		while (n < most) {
			hash = ep_hash_mix(hash, round);
			for (uint64_t k = hash % n_longest + 1; k && n < most; k--)
				places[n++] = (uint32_t)(hash >> 40) % 3;
		}
		check_by_rule(places, n);
	}
}
