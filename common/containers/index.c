// SPDX-License-Identifier: BSD-3-Clause
/* Implements index.h by linear probing in a table that is at most half full. */
#include "common/containers/index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64

uint64_t ep_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	uint64_t word;

	for (; size >= sizeof(word); size -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = ep_hash_mix(hash, word);
	}
	word = size;
	for (size_t i = 0; i < size; i++)
		word = word << 8 | at[i];
	return ep_hash_mix(hash, word);
}

void ep_index_finish(struct ep_index *index)
{
	free(index->slots);
	*index = (struct ep_index){ 0 };
}

void ep_index_clear(struct ep_index *index)
{
	if (index->slots)
		memset(index->slots, 0, index->n_slots * sizeof(*index->slots));
	index->n_used = 0;
}

uint32_t ep_index_find(const struct ep_index *index, uint64_t hash, ep_index_same_fn same,
	const void *owner, const void *key)
{
	uint32_t mask = index->n_slots - 1, short_hash = (uint32_t)(hash >> 32);

	if (!index->n_slots)
		return EP_NONE;
	for (uint32_t i = short_hash & mask; index->slots[i].idx_plus_one; i = (i + 1) & mask) {
		const struct ep_index_slot *slot = &index->slots[i];

		if (slot->hash == short_hash && same(owner, slot->idx_plus_one - 1, key))
			return slot->idx_plus_one - 1;
	}
	return EP_NONE;
}

static void put(struct ep_index_slot *slots, uint32_t mask, struct ep_index_slot slot)
{
	uint32_t i = slot.hash & mask;

	while (slots[i].idx_plus_one)
		i = (i + 1) & mask;
	slots[i] = slot;
}

static int grow(struct ep_index *index)
{
	uint32_t n_slots = index->n_slots ? index->n_slots * 2 : FIRST_SLOTS;
	struct ep_index_slot *slots = calloc(n_slots, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < index->n_slots; i++)
		if (index->slots[i].idx_plus_one)
			put(slots, n_slots - 1, index->slots[i]);
	free(index->slots);
	index->slots = slots;
	index->n_slots = n_slots;
	return 0;
}

int ep_index_add(struct ep_index *index, uint64_t hash, uint32_t idx)
{
	if (index->n_used * 2 >= index->n_slots && grow(index))
		return -ENOMEM;
	put(index->slots, index->n_slots - 1,
		(struct ep_index_slot){ (uint32_t)(hash >> 32), idx + 1 });
	index->n_used++;
	return 0;
}
