/* SPDX-License-Identifier: BSD-3-Clause */
/* Which group is on in a thread's next slice. In its signal handler. */
#ifndef EVPROF_PRELOAD_RECORDING_TURNS_H
#define EVPROF_PRELOAD_RECORDING_TURNS_H

#include <stdint.h>

/* The sums of a group's slices. */
struct ep_group_sums {
	uint64_t n_slices; /* in which it counted */
	uint64_t enabled_ns, running_ns;
};

struct ep_turns {
	uint32_t n_left_of_round; /* slices until every group was on as often again */
	uint32_t n_rounds;
	uint32_t chance; /* where rounds begin */
};

void ep_turns_start(struct ep_turns *turns, uint32_t n_groups, uint32_t seed);

/* The group after this one in the plan's order, throughout. */
uint32_t ep_turns_in_order(uint32_t group, uint32_t n_groups);

/* Each round of all groups begins at another: a program whose steps take as long as a round, as a
 * solver's iterations of 20 ms do, would show some groups always the same part of its step. A group
 * that never counts, while others do, is left out of most rounds. sums (n_groups). */
uint32_t ep_turns_next(struct ep_turns *turns, const struct ep_group_sums *sums, uint32_t group,
	uint32_t n_groups);

#endif
