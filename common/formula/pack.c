// SPDX-License-Identifier: BSD-3-Clause
/*
 * Packs events into groups. A set of events fits into a group if a matching gives each event its own counters. The
 * group for a set is chosen greedily: the group that has most of the events, and of several such groups the earliest.
 * Any thread may call these functions.
 */
#include "common/formula/pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/containers/array.h"

enum { N_GENERAL = 32, N_FIXED = 32 };

/* A matching of counters to events. General counters come first, then the fixed ones. */
struct matching {
	const struct ep_need *needs;
	uint64_t usable;                /* the counters that this CPU has */
	int owner[N_GENERAL + N_FIXED]; /* the event of each counter; -1: it is free */
};

static uint64_t counters_of(const struct ep_need *need)
{
	return need->counter_mask | (need->fixed >= 0 ? 1ull << (N_GENERAL + need->fixed) : 0);
}

/* Gives an event a counter, and moves earlier events to other counters if needed. visited has the counters that were
 * tried: they are not tried again, which limits the recursion to the number of counters. */
static bool assign(struct matching *m, uint32_t event, uint64_t *visited)
{
	uint64_t candidates = counters_of(&m->needs[event]) & m->usable;

	/* Fixed counters are tried first, since other events cannot use them. */
	for (int i = N_GENERAL + N_FIXED - 1; i >= 0; i--) {
		if (!(candidates >> i & 1) || (*visited >> i & 1))
			continue;
		*visited |= 1ull << i;
		if (m->owner[i] < 0 || assign(m, (uint32_t)m->owner[i], visited)) {
			m->owner[i] = (int)event;
			return true;
		}
	}
	return false;
}

static bool contains(const uint32_t *events, uint32_t n_events, uint32_t event)
{
	for (uint32_t i = 0; i < n_events; i++)
		if (events[i] == event)
			return true;
	return false;
}

static bool add_to_matching(struct matching *m, uint32_t event, const uint32_t *all, uint32_t n_all)
{
	const struct ep_need *need = &m->needs[event];
	uint64_t visited = 0, visited_again = 0;

	if (need->rides_with >= 0)
		return contains(all, n_all, (uint32_t)need->rides_with);
	if (!counters_of(need))
		return true; /* events of the kernel itself need no counter */
	return assign(m, event, &visited) &&
	       (!need->takes_pair || assign(m, event, &visited_again));
}

/* Tells whether the counters can count a set. all: distinct events, with the always-on ones. */
static bool fits(const struct ep_pack *pack, const uint32_t *all, uint32_t n_all)
{
	struct matching m = {
		.needs = pack->needs,
		.usable = (pack->n_counters >= 32 ? UINT32_MAX : (1ull << pack->n_counters) - 1) |
			  (uint64_t)UINT32_MAX << N_GENERAL,
	};

	memset(m.owner, 0xff, sizeof(m.owner));
	for (uint32_t i = 0; i < n_all; i++)
		if (!add_to_matching(&m, all[i], all, n_all))
			return false;
	return true;
}

static void add_distinct(uint32_t *set, uint32_t *n_set, const uint32_t *events, uint32_t n_events)
{
	for (uint32_t i = 0; i < n_events; i++)
		if (!contains(set, *n_set, events[i]))
			set[(*n_set)++] = events[i];
}

/* Adds to the set the always-on events, the events whose counters the given events share, and the given events. set
 * must have room for all events. */
static uint32_t close_set(const struct ep_pack *pack, const uint32_t *events, uint32_t n_events,
	uint32_t *set, uint32_t n_set)
{
	add_distinct(set, &n_set, pack->always, pack->n_always);
	for (uint32_t i = 0; i < n_events; i++) {
		uint32_t leader = (uint32_t)pack->needs[events[i]].rides_with;

		if (pack->needs[events[i]].rides_with >= 0)
			add_distinct(set, &n_set, &leader, 1);
	}
	add_distinct(set, &n_set, events, n_events);
	return n_set;
}

static int set_group(const struct ep_pack *pack, struct ep_event_group *group, const uint32_t *set,
	uint32_t n_set)
{
	if (n_set > group->capacity) {
		uint32_t *bigger = realloc(group->events, n_set * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		group->events = bigger;
		group->capacity = n_set;
	}
	group->n_events = 0;
	for (uint32_t i = 0; i < n_set; i++)
		if (!contains(pack->always, pack->n_always, set[i]))
			group->events[group->n_events++] = set[i];
	return 0;
}

static int add_group(struct ep_pack *pack)
{
	if (EP_ARRAY_RESERVE(pack->groups, pack->n_groups, pack->group_capacity))
		return -ENOMEM;
	pack->groups[pack->n_groups++] = (struct ep_event_group){ 0 };
	return 0;
}

static uint32_t count_common(
	const struct ep_event_group *group, const uint32_t *events, uint32_t n_events)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < n_events; i++)
		n += contains(group->events, group->n_events, events[i]);
	return n;
}

/* Builds the union of a group and the events in scratch. Returns its size; 0: the counters cannot count it. */
static uint32_t try_union(const struct ep_pack *pack, const struct ep_event_group *group,
	const uint32_t *events, uint32_t n_events, uint32_t *scratch)
{
	uint32_t n = 0;

	add_distinct(scratch, &n, group->events, group->n_events);
	n = close_set(pack, events, n_events, scratch, n);
	return fits(pack, scratch, n) ? n : 0;
}

/* Returns the group that has most of the events and can hold the others, too; -1: there is none. */
static int find_best(
	const struct ep_pack *pack, const uint32_t *events, uint32_t n_events, uint32_t *scratch)
{
	uint32_t best_common = 0;
	int best = -1;

	for (uint32_t g = 0; g < pack->n_groups; g++) {
		uint32_t common = count_common(&pack->groups[g], events, n_events);

		if ((best >= 0 && common <= best_common) ||
			!try_union(pack, &pack->groups[g], events, n_events, scratch))
			continue;
		best = (int)g;
		best_common = common;
	}
	return best;
}

int ep_pack_together(
	struct ep_pack *pack, const uint32_t *events, uint32_t n_events, bool *out_done)
{
	EP_AUTOFREE uint32_t *scratch = calloc(pack->n_needs + 1, sizeof(*scratch));
	struct ep_event_group empty = { 0 };
	uint32_t n;
	int best;

	if (!scratch)
		return -ENOMEM;
	*out_done = try_union(pack, &empty, events, n_events, scratch) > 0 || !n_events;
	if (!*out_done || !n_events)
		return 0;
	best = find_best(pack, events, n_events, scratch);
	if (best < 0) {
		if (add_group(pack))
			return -ENOMEM;
		best = (int)pack->n_groups - 1;
	}
	n = try_union(pack, &pack->groups[best], events, n_events, scratch);
	return set_group(pack, &pack->groups[best], scratch, n);
}

int ep_pack_anywhere(struct ep_pack *pack, uint32_t event)
{
	bool done;
	int rc;

	if (ep_pack_find(pack, &event, 1) >= 0)
		return 0;
	rc = ep_pack_together(pack, &event, 1, &done);
	return rc ? rc : done ? 0 : -ENOSPC;
}

int ep_pack_find(const struct ep_pack *pack, const uint32_t *events, uint32_t n_events)
{
	for (uint32_t g = 0; g < pack->n_groups; g++) {
		uint32_t n = 0;

		for (uint32_t i = 0; i < n_events; i++)
			n += contains(
				     pack->groups[g].events, pack->groups[g].n_events, events[i]) ||
			     contains(pack->always, pack->n_always, events[i]);
		if (n == n_events)
			return (int)g;
	}
	return -1;
}

void ep_pack_finish(struct ep_pack *pack)
{
	if (!pack)
		return;
	for (uint32_t i = 0; i < pack->n_groups; i++)
		free(pack->groups[i].events);
	free(pack->groups);
	*pack = (struct ep_pack){ 0 };
}
