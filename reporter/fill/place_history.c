// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/fill/place_history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A history has limits, since pairs of call sites may be far more numerous than other places. */
#define MOST_PLACES 16384
#define MOST_BYTES (64u << 20)

/* Returns the address of the size of all histories together. */
static size_t *bytes_of_all(struct ep_place_history *history)
{
	return history->n_bytes_of_all ? history->n_bytes_of_all : &history->n_bytes;
}

static void take_bytes(struct ep_place_history *history, size_t n_bytes)
{
	if (history->n_bytes_of_all)
		*history->n_bytes_of_all += n_bytes - history->n_bytes;
	history->n_bytes = n_bytes;
}

void ep_place_history_finish(struct ep_place_history *history)
{
	take_bytes(history, 0);
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
	size_t capacity = history->capacity ? 2 * (size_t)history->capacity : 8;
	size_t n_sums = capacity * history->n_events, bytes = n_sums * sizeof(*history->sums);
	uint64_t *places;
	struct ep_place_sums *sums;

	if (capacity > MOST_PLACES ||
		*bytes_of_all(history) - history->n_bytes + bytes > MOST_BYTES)
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
	take_bytes(history, bytes);
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

static uint32_t find(const struct ep_place_history *history, uint64_t place)
{
	size_t slot = place % EP_PLACES_RECENT;

	if (history->recent[slot].idx_plus_one && history->recent[slot].place == place)
		return history->recent[slot].idx_plus_one - 1;
	return ep_index_find(&history->index, place, has_place, history, &place);
}

static struct ep_place_sums *keep_recent(
	struct ep_place_history *history, uint64_t place, uint32_t idx)
{
	size_t slot = place % EP_PLACES_RECENT;

	if (idx == EP_NONE)
		return NULL;
	history->recent[slot].place = place;
	history->recent[slot].idx_plus_one = idx + 1;
	return history->sums + (size_t)idx * history->n_events;
}

struct ep_place_sums *ep_place_history_look_up(struct ep_place_history *history, uint64_t place)
{
	uint32_t idx = find(history, place);

	return keep_recent(history, place, idx == EP_NONE ? add(history, place) : idx);
}

const struct ep_place_sums *ep_place_history_find(struct ep_place_history *history, uint64_t place)
{
	return keep_recent(history, place, find(history, place));
}

struct ep_place_rate ep_place_rate_of(const struct ep_place_sums *sums)
{
	double mean = sums->count / sums->clock;
	double variance = sums->squares / sums->clock - mean * mean;

	return (struct ep_place_rate){ mean, sqrt(fmax(0, variance)) };
}
