/* SPDX-License-Identifier: BSD-3-Clause */
/* Packs events into groups that a CPU's counters can count at once. */
#ifndef EVPROF_COMMON_FORMULA_PACK_H
#define EVPROF_COMMON_FORMULA_PACK_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

/* The counters that an event needs. Indexes are those of the caller. */
struct ep_need {
	/* bits of the general counters that can count the event; 0, and fixed -1: it needs no counter */
	uint32_t counter_mask;
	bool takes_pair; /* the event needs two of these counters */
	int fixed;       /* the fixed counter that can count it, too; -1: none */
	int rides_with;  /* the event whose counter it shares, in the same group; -1: none */
};

struct ep_event_group {
	uint32_t *events; /* (n_events) without the always-on events */
	uint32_t n_events, capacity;
};

struct ep_pack {
	const struct ep_need *needs; /* (n_needs) the needs of all events */
	uint32_t n_needs;
	uint32_t n_counters;    /* general counters, at most 32 */
	const uint32_t *always; /* (n_always) events in every group */
	uint32_t n_always;
	struct ep_event_group *groups;
	uint32_t n_groups, group_capacity;
};

/* Puts the events of one formula (events, distinct) into one group: the group that has most of them and room for the
 * others, else a new one. *out_done is false if no group can hold all of them; then nothing changes. */
int ep_pack_together(struct ep_pack *pack, const uint32_t *events, uint32_t n_events,
	bool *out_done) EP_MUST_CHECK;
/* Puts an event into the first group with room, if it is in none yet. Returns -ENOSPC if not even an empty group can
 * hold the event. */
int ep_pack_anywhere(struct ep_pack *pack, uint32_t event) EP_MUST_CHECK;
/* Returns the group that has all these events; -1: there is none. */
int ep_pack_find(const struct ep_pack *pack, const uint32_t *events, uint32_t n_events);
void ep_pack_finish(struct ep_pack *pack);

#endif
