/* SPDX-License-Identifier: BSD-3-Clause */
/* The counts that slices of all threads measured in each place of a process's program since its
 * beginning: for gaps in places that a stretch hardly measured. */
#ifndef EVPROF_REPORTER_FILL_PLACE_HISTORY_H
#define EVPROF_REPORTER_FILL_PLACE_HISTORY_H

#include "common/containers/index.h"
#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

/* Sums of one event over the slices of one place that measured it. */
struct ep_place_sums {
	uint32_t n;
	double clock;   /* their time or cycles */
	double count;   /* and what they counted */
	double squares; /* sum of rate^2 x clock */
};

enum { EP_PLACES_RECENT = 64 };

/* Zero: empty, but for n_events. */
struct ep_place_history {
	uint32_t n_events, n_places, capacity;
	size_t n_bytes;
	size_t *n_bytes_of_all;     /* of all histories together; NULL: there is no other */
	uint64_t *places;           /* (n_places) */
	struct ep_place_sums *sums; /* (n_places, n_events) */
	struct ep_index index;
	/* in front of the index: programs stay in a few places for a while */
	struct {
		uint64_t place;
		uint32_t idx_plus_one; /* 0: none */
	} recent[EP_PLACES_RECENT];
};

void ep_place_history_finish(struct ep_place_history *history);
/* (n_events) of the place, which is added where it is not there yet. NULL: not for want of memory;
 * a history has 16384 at most, and all together take some ten MB. Good until the next is added. */
struct ep_place_sums *ep_place_history_look_up(struct ep_place_history *history, uint64_t place);
/* The same, quicker for a place that was asked for lately. */
static inline struct ep_place_sums *ep_place_history_at(
	struct ep_place_history *history, uint64_t place)
{
	size_t slot = place % EP_PLACES_RECENT;
	uint32_t idx = history->recent[slot].idx_plus_one - 1;

	if (history->recent[slot].place == place && idx != EP_NONE)
		return history->sums + (size_t)idx * history->n_events;
	return ep_place_history_look_up(history, place);
}

/* The same; NULL: it is not there. */
const struct ep_place_sums *ep_place_history_find(struct ep_place_history *history, uint64_t place);

/* rate: counts per unit of the clock. */
static inline void ep_place_sums_add(struct ep_place_sums *sums, double rate, double clock)
{
	double count = rate * clock;

	sums->n++;
	sums->clock += clock;
	sums->count += count;
	sums->squares += rate * count;
}

/* Rates: counts per unit of the clock. */
struct ep_place_rate {
	double mean;
	double scatter; /* standard deviation of a slice's rate */
};

struct ep_place_rate ep_place_rate_of(const struct ep_place_sums *sums);

#endif
