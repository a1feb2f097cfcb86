/* SPDX-License-Identifier: BSD-3-Clause */
/* The history of a process: the counts that its slices have measured so far in each place of its program.
 * Only events that are not always on are in it. */
#ifndef EVPROF_REPORTER_FILL_LEARNT_H
#define EVPROF_REPORTER_FILL_LEARNT_H

#include "reporter/fill/place_history.h"
#include "reporter/load/fill.h"

struct ep_learnt {
	const struct ep_fill_events *events;
	bool has_clock;    /* the clock was chosen, by the first stretch */
	int clock;         /* index of an event; -1: CPU time */
	uint32_t *rotated; /* (history.n_events) indexes of the events that are not always on */
	uint32_t *rows;    /* (by event) index of the event in rotated; EP_NONE: it is always on */
	struct ep_place_history history;
};

/* Creates an object; NULL: out of memory. events must live as long as the object. */
struct ep_learnt *ep_learnt_create(const struct ep_fill_events *events);
void ep_learnt_destroy(struct ep_learnt *learnt);

/* Adds the slices from stretch->n_learnt on. */
void ep_learnt_add(struct ep_learnt *learnt, const struct ep_stretch *stretch);
/* Returns the clock's count in the slice; 0: the slice cannot be used. */
double ep_learnt_clock_of(
	const struct ep_learnt *learnt, const struct ep_stretch *stretch, uint32_t slice);
/* Returns the sums of an event in a place; NULL: none are known. The sums are valid until the next slices are added. */
const struct ep_place_sums *ep_learnt_find(
	struct ep_learnt *learnt, uint64_t place, uint32_t event);

#endif
