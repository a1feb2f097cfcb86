// SPDX-License-Identifier: BSD-3-Clause
/* The order of turns: fair, not in step with the program, and not spent on groups that never count. */
#include "tests/unit/test.h"

#include <string.h>

#include "preload/recording/turns.h"

enum { N_GROUPS = 4, N_SLICES = 64 * 16 * N_GROUPS, SLICE_NS = 1000000 };

/* Plays slices of groups, of which those in dead never count; how often each was on. */
static void play(uint32_t dead, uint32_t out_n_turns[N_GROUPS], uint32_t out_begins[N_GROUPS])
{
	struct ep_group_sums sums[N_GROUPS] = { 0 };
	struct ep_turns turns;
	uint32_t group = 0;

	memset(out_n_turns, 0, N_GROUPS * sizeof(uint32_t));
	memset(out_begins, 0, N_GROUPS * sizeof(uint32_t));
	ep_turns_start(&turns, N_GROUPS, 1);
	for (int i = 0; i < N_SLICES; i++) {
		out_n_turns[group]++;
		out_begins[group] += i % N_GROUPS == 0;
		sums[group].enabled_ns += SLICE_NS;
		sums[group].n_slices += !(dead & 1u << group);
		group = ep_turns_next(&turns, sums, group, N_GROUPS);
		CHECK(group < N_GROUPS);
	}
}

TEST(each_group_once_a_round_and_each_round_from_another)
{
	uint32_t n_turns[N_GROUPS], begins[N_GROUPS];

	play(0, n_turns, begins);
	for (int g = 0; g < N_GROUPS; g++) {
		CHECK_INT(n_turns[g], N_SLICES / N_GROUPS);
		CHECK_MSG(begins[g] > N_SLICES / N_GROUPS / N_GROUPS / 2, "%u of %d", begins[g],
			N_SLICES / N_GROUPS);
	}
}

TEST(what_never_counts_gives_its_turns_to_the_others)
{
	uint32_t n_turns[N_GROUPS], begins[N_GROUPS];

	play(1u << 2, n_turns, begins);
	/* 30 ms to find out, then one round of 16 */
	CHECK_MSG(n_turns[2] > 30 + N_SLICES / N_GROUPS / 32 &&
			  n_turns[2] < 30 + N_SLICES / N_GROUPS / 8,
		"%u", n_turns[2]);
	for (int g = 0; g < N_GROUPS; g++)
		CHECK_MSG(g == 2 || n_turns[g] > N_SLICES / N_GROUPS, "%d: %u", g, n_turns[g]);
}

TEST(nothing_counts_and_all_wait_for_their_turn)
{
	uint32_t n_turns[N_GROUPS], begins[N_GROUPS];

	play(UINT32_MAX, n_turns, begins);
	for (int g = 0; g < N_GROUPS; g++)
		CHECK_INT(n_turns[g], N_SLICES / N_GROUPS);
}

TEST(who_counted_once_is_not_given_up)
{
	struct ep_group_sums sums[2] = { { 1, 90000000, 1 }, { 0, 29000000, 0 } };
	struct ep_turns turns;
	uint32_t group = 0, n_turns[2] = { 0 };

	ep_turns_start(&turns, 2, 7);
	for (int i = 0; i < 100; i++) {
		group = ep_turns_next(&turns, sums, group, 2);
		n_turns[group]++;
	}
	CHECK_MSG(n_turns[0] >= 49 && n_turns[0] <= 51, "%u", n_turns[0]);
}

TEST(a_sources_own_order)
{
	CHECK_INT(ep_turns_in_order(0, 3), 1);
	CHECK_INT(ep_turns_in_order(2, 3), 0);
	CHECK_INT(ep_turns_in_order(0, 1), 0);
}
