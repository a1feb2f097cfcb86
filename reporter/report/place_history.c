// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/report/place_history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (32u << 20)

void ep_place_history_finish(struct ep_place_history *history)
{
	free(history->places);
	free(history->sums);
	ep_index_finish(&history->index);
}

static bool has_place(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_place_history *history = owner;

	return history->places[idx] == *(const uint64_t *)key;
}

static bool grow(struct ep_place_history *history)
{
	size_t capacity = history->capacity ? 2 * (size_t)history->capacity : 64;
	size_t n_sums = capacity * history->n_events;
	uint64_t *places;
	struct ep_place_sums *sums;

	if (n_sums * sizeof(*sums) > MOST_BYTES)
		return false;
	places = realloc(history->places, capacity * sizeof(*places));
	if (!places)
		return false;
	history->places = places;
	sums = realloc(history->sums, (n_sums + 1) * sizeof(*sums));
	if (!sums)
		return false;
	history->sums = sums;
	history->capacity = (uint32_t)capacity;
	return true;
}

static uint32_t add(struct ep_place_history *history, uint64_t place)
{
	uint32_t idx = history->n_places, n_events = history->n_events;

	if ((idx == history->capacity && !grow(history)) ||
		ep_index_add(&history->index, place, idx))
		return EP_NONE;
	history->places[idx] = place;
	memset(history->sums + (size_t)idx * n_events, 0, n_events * sizeof(*history->sums));
	history->n_places++;
	return idx;
}

struct ep_place_sums *ep_place_history_at(struct ep_place_history *history, uint64_t place)
{
	size_t slot = place % EP_PLACES_RECENT;
	uint32_t idx = history->recent[slot].idx_plus_one - 1;

	if (idx == EP_NONE || history->recent[slot].place != place) {
		idx = ep_index_find(&history->index, place, has_place, history, &place);
		if (idx == EP_NONE)
			idx = add(history, place);
		if (idx == EP_NONE)
			return NULL;
		history->recent[slot].place = place;
		history->recent[slot].idx_plus_one = idx + 1;
	}
	return history->sums + (size_t)idx * history->n_events;
}

struct ep_place_rate ep_place_rate_of(const struct ep_place_sums *sums)
{
	double mean = sums->count / sums->clock;
	double variance = sums->squares / sums->clock - mean * mean;

	return (struct ep_place_rate){ mean, sqrt(fmax(0, variance)) };
}
