/* SPDX-License-Identifier: BSD-3-Clause */
/* The counts that a process's slices have measured so far in each place of its program, for events
 * that are not always on. */
#ifndef EVPROF_REPORTER_FILL_LEARNT_H
#define EVPROF_REPORTER_FILL_LEARNT_H

#include "reporter/fill/place_history.h"
#include "reporter/load/fill.h"

struct ep_learnt {
	const struct ep_fill_events *events;
	bool has_clock;    /* the first stretch has told it */
	int clock;         /* an event; -1: CPU time */
	uint32_t *rotated; /* (history.n_events) events that are not always on */
	uint32_t *rows;    /* (E) where an event is among them, EP_NONE: not */
	struct ep_place_history history;
};

/* NULL: out of memory. events lasts as long. */
struct ep_learnt *ep_learnt_create(const struct ep_fill_events *events);
void ep_learnt_destroy(struct ep_learnt *learnt);

/* Slices from stretch->n_learnt on. */
void ep_learnt_add(struct ep_learnt *learnt, const struct ep_stretch *stretch);
/* The slice's ticks of the clock; 0: it tells nothing. */
double ep_learnt_clock_of(
	const struct ep_learnt *learnt, const struct ep_stretch *stretch, uint32_t slice);
/* NULL: nothing is known. Good until the next is added. */
const struct ep_place_sums *ep_learnt_find(
	struct ep_learnt *learnt, uint64_t place, uint32_t event);

#endif
