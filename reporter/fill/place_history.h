/* SPDX-License-Identifier: BSD-3-Clause */
/* The counts that slices of all threads of a process measured in each place since its beginning. They fill
 * gaps in places for which a stretch has too few samples. */
#ifndef EVPROF_REPORTER_FILL_PLACE_HISTORY_H
#define EVPROF_REPORTER_FILL_PLACE_HISTORY_H

#include "common/containers/index.h"
#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

/* Sums of one event over the slices of one place that measured it. */
struct ep_place_sums {
	uint32_t n;
	double clock;   /* sum of the clock in these slices */
	double count;   /* sum of the counts */
	double squares; /* sum of rate^2 times clock */
};

enum { EP_PLACES_RECENT = 64 };

/* A history; all zero except n_events is a valid start. */
struct ep_place_history {
	uint32_t n_events, n_places, capacity;
	size_t n_bytes;
	/* size of all histories together; NULL: there is only one history */
	size_t *n_bytes_of_all;
	uint64_t *places;           /* (n_places) hashes of places */
	struct ep_place_sums *sums; /* (n_places, n_events) sums of each place */
	struct ep_index index;
	/* a small cache before the index, since programs stay in a few places for a while */
	struct {
		uint64_t place;
		uint32_t idx_plus_one; /* 0: the entry is empty */
	} recent[EP_PLACES_RECENT];
};

void ep_place_history_finish(struct ep_place_history *history);
/* Returns the sums (n_events) of a place; a new place is added. NULL: there is no memory, or the limit is
 * reached (16384 places in a history, 64 MiB in all histories together). The sums are valid until the next
 * place is added. */
struct ep_place_sums *ep_place_history_look_up(struct ep_place_history *history, uint64_t place);
/* The same as ep_place_history_look_up, but faster for a place that was used recently. */
static inline struct ep_place_sums *ep_place_history_at(
	struct ep_place_history *history, uint64_t place)
{
	size_t slot = place % EP_PLACES_RECENT;
	uint32_t idx = history->recent[slot].idx_plus_one - 1;

	if (history->recent[slot].place == place && idx != EP_NONE)
		return history->sums + (size_t)idx * history->n_events;
	return ep_place_history_look_up(history, place);
}

/* Returns the sums of a place without adding it; NULL: the place is not in the history. */
const struct ep_place_sums *ep_place_history_find(struct ep_place_history *history, uint64_t place);

/* Adds a slice; rate: counts per unit of the clock. */
static inline void ep_place_sums_add(struct ep_place_sums *sums, double rate, double clock)
{
	double count = rate * clock;

	sums->n++;
	sums->clock += clock;
	sums->count += count;
	sums->squares += rate * count;
}

/* The rate of an event in a place, in counts per unit of the clock. */
struct ep_place_rate {
	double mean;
	double scatter; /* standard deviation of a slice's rate */
};

struct ep_place_rate ep_place_rate_of(const struct ep_place_sums *sums);

#endif
