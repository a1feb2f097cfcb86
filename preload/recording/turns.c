// SPDX-License-Identifier: BSD-3-Clause
/* The groups' turns, round by round; each round begins with a random group. Runs in the signal handler. */
#include "turns.h"

#include <stdbool.h>

#include "common/os/slice_code.h"

/* A group that was on for this long and has not counted will not count. If another program uses the PMU, too, a group
 * gets counters at the kernel's next rotation, after about 4 ms. A group that has not counted in several rotations has
 * an event that never counts here, or needs more counters than are left. */
#define DEAD_AFTER_NS 30000000
/* all groups are tried again in one of this many rounds, since the other user of the PMU may have ended */
#define ROUNDS_TO_RETRY 16

void ep_turns_start(struct ep_turns *turns, uint32_t n_groups, uint32_t seed)
{
	*turns = (struct ep_turns){ .n_left_of_round = n_groups, .chance = seed };
}

EP_SLICE_CODE uint32_t ep_turns_in_order(uint32_t group, uint32_t n_groups)
{
	return (group + 1) % n_groups;
}

static bool is_dead(const struct ep_group_sums *sums)
{
	return !sums->n_slices && sums->enabled_ns >= DEAD_AFTER_NS;
}

/* Returns the first group from group on that is not known to be dead (is_dead); group itself if all are. */
static uint32_t skip_dead(const struct ep_group_sums *sums, uint32_t group, uint32_t n_groups)
{
	for (uint32_t i = 0; i < n_groups; i++) {
		uint32_t next = (group + i) % n_groups;

		if (!is_dead(&sums[next]))
			return next;
	}
	return group;
}

EP_SLICE_CODE uint32_t ep_turns_next(
	struct ep_turns *turns, const struct ep_group_sums *sums, uint32_t group, uint32_t n_groups)
{
	uint32_t step = 1;

	if (!--turns->n_left_of_round) {
		turns->n_left_of_round = n_groups;
		turns->n_rounds++;
		turns->chance = turns->chance * 1664525 + 1013904223; /* Knuth, TAOCP 2, 3.3.4 */
		step = (turns->chance >> 16) % n_groups;
	}
	group = (group + step) % n_groups;
	if (turns->n_rounds % ROUNDS_TO_RETRY == 0)
		return group;
	return skip_dead(sums, group, n_groups);
}
