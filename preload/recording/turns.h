/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses which group is on in a thread's next slice. Runs in the thread's signal handler. */
#ifndef EVPROF_PRELOAD_RECORDING_TURNS_H
#define EVPROF_PRELOAD_RECORDING_TURNS_H

#include <stdint.h>

/* The sums of a group's slices. */
struct ep_group_sums {
	uint64_t n_slices; /* slices in which the group counted */
	uint64_t enabled_ns, running_ns;
};

struct ep_turns {
	uint32_t n_left_of_round; /* turns until each group has had one in this round */
	uint32_t n_rounds;
	uint32_t chance; /* the state of the draws, which choose where rounds begin */
};

void ep_turns_start(struct ep_turns *turns, uint32_t n_groups, uint32_t seed);

/* Returns the group after this one in the plan's order. */
uint32_t ep_turns_in_order(uint32_t group, uint32_t n_groups);

/* Returns the next group. Each round of all groups begins at a random group. If all began at the same group, a program
 * whose steps take as long as a round, such as a solver's iterations of 20 ms, would run the same part of its steps
 * whenever a group is on. A group that never counts, while others do, is left out of most rounds. sums (n_groups): the
 * sums of each group. */
uint32_t ep_turns_next(struct ep_turns *turns, const struct ep_group_sums *sums, uint32_t group,
	uint32_t n_groups);

#endif
