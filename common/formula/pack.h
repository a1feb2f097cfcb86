/* SPDX-License-Identifier: BSD-3-Clause */
/* Events that are counted together: which sets the counters of a CPU can hold. */
#ifndef EVPROF_COMMON_FORMULA_PACK_H
#define EVPROF_COMMON_FORMULA_PACK_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

/* The counters that an event needs; indexes are the caller's. */
struct ep_need {
	uint32_t
		counter_mask; /* general counters that can count it; 0 and no fixed one: needs none */
	bool takes_pair;      /* two of these counters */
	int fixed;            /* or this fixed counter; -1: none */
	int rides_with; /* or no counter, if this event is in the group; -1: it always needs one */
};

struct ep_event_group {
	uint32_t *events; /* (n_events), the always-on events not among them */
	uint32_t n_events, capacity;
};

struct ep_pack {
	const struct ep_need *needs; /* (n_needs) */
	uint32_t n_needs;
	uint32_t n_counters;    /* general ones, at most 32 */
	const uint32_t *always; /* (n_always) in every group */
	uint32_t n_always;
	struct ep_event_group *groups;
	uint32_t n_groups, group_capacity;
};

/* Makes the events of one formula (events, distinct) share a group: in one that has most of them
 * and room for the rest, else in a new one. false when no group can hold them all; then nothing
 * changes. */
int ep_pack_together(struct ep_pack *pack, const uint32_t *events, uint32_t n_events,
	bool *out_done) EP_MUST_CHECK;
/* Puts an event into the first group with room, if it is in none yet. -ENOSPC when even an empty
 * group cannot hold it. */
int ep_pack_anywhere(struct ep_pack *pack, uint32_t event) EP_MUST_CHECK;
/* The group that has all these events, or -1. */
int ep_pack_find(const struct ep_pack *pack, const uint32_t *events, uint32_t n_events);
void ep_pack_finish(struct ep_pack *pack);

#endif
