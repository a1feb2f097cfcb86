// SPDX-License-Identifier: BSD-3-Clause
/* Groups slices by numbering their keys and counting. Sorting by comparison would take half of the time of
 * the whole estimate. */
#include "reporter/fill/slice_order.h"

#include <stdbool.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/containers/index.h"

enum { N_RECENT = 64 };

/* Numbers keys in the order in which they first occur. */
struct numbering {
	const uint64_t *keys;
	uint32_t *first; /* (n_numbers) the first slice with each key */
	uint32_t n_numbers;
	struct ep_index index;
	/* a small cache before the index, since programs stay in a few places for a while */
	struct recent {
		uint64_t key;
		uint32_t number;
		bool is_set;
	} recent[N_RECENT];
};

static bool has_key(const void *owner, uint32_t number, const void *key)
{
	const struct numbering *numbering = owner;

	return numbering->keys[numbering->first[number]] == *(const uint64_t *)key;
}

/* Returns the number of a slice's key; EP_NONE: out of memory. */
static uint32_t find_or_add(struct numbering *numbering, uint32_t slice)
{
	const uint64_t *key = &numbering->keys[slice];
	uint32_t number = ep_index_find(&numbering->index, *key, has_key, numbering, key);

	if (number != EP_NONE)
		return number;
	if (ep_index_add(&numbering->index, *key, numbering->n_numbers))
		return EP_NONE;
	numbering->first[numbering->n_numbers] = slice;
	return numbering->n_numbers++;
}

static inline uint32_t number_of(struct numbering *numbering, uint32_t slice)
{
	uint64_t key = numbering->keys[slice];
	struct recent *recent = &numbering->recent[key % N_RECENT];

	if (recent->key != key || !recent->is_set)
		*recent = (struct recent){ key, find_or_add(numbering, slice), true };
	return recent->number;
}

/* Sets out_numbers (n) to the number of each slice's key. Returns false if memory is exhausted. */
static bool number_slices(struct numbering *numbering, uint32_t n, uint32_t *out_numbers)
{
	for (uint32_t i = 0; i < n; i++) {
		out_numbers[i] = number_of(numbering, i);
		if (out_numbers[i] == EP_NONE)
			return false;
	}
	return true;
}

/* Sorts by counting the slices of each number, which tells where the next number's slices begin. */
static void sort_by_number(const struct numbering *numbering, const uint32_t *numbers, uint32_t n,
	uint32_t *starts, struct ep_keyed_slice *out)
{
	for (uint32_t i = 0; i < n; i++)
		starts[numbers[i] + 1]++;
	for (uint32_t k = 0; k < numbering->n_numbers; k++)
		starts[k + 1] += starts[k];
	for (uint32_t i = 0; i < n; i++)
		out[starts[numbers[i]]++] = (struct ep_keyed_slice){ numbering->keys[i], i };
}

struct ep_keyed_slice *ep_slices_by_key(const uint64_t *keys, uint32_t n)
{
	EP_AUTOFREE uint32_t *numbers = malloc(((size_t)n + 1) * sizeof(*numbers));
	EP_AUTOFREE uint32_t *starts = calloc((size_t)n + 2, sizeof(*starts));
	EP_AUTOFREE uint32_t *first = malloc(((size_t)n + 1) * sizeof(*first));
	struct ep_keyed_slice *order = malloc(((size_t)n + 1) * sizeof(*order));
	struct numbering numbering = { .keys = keys, .first = first };
	bool is_numbered =
		numbers && starts && first && order && number_slices(&numbering, n, numbers);

	if (is_numbered)
		sort_by_number(&numbering, numbers, n, starts, order);
	ep_index_finish(&numbering.index);
	if (is_numbered)
		return order;
	free(order);
	return NULL;
}

struct ep_keyed_slice *ep_slices_in_time(uint32_t n)
{
	struct ep_keyed_slice *order = calloc((size_t)n + 1, sizeof(*order));

	for (uint32_t i = 0; order && i < n; i++)
		order[i].slice = i;
	return order;
}
