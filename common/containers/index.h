/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash index over an array that the caller owns: it finds the array's element for a key by the key's hash.
 * Elements are only added. For one thread. */
#ifndef EVPROF_COMMON_CONTAINERS_INDEX_H
#define EVPROF_COMMON_CONTAINERS_INDEX_H

#include "common/containers/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EP_NONE UINT32_MAX

struct ep_index_slot {
	uint32_t hash;
	uint32_t idx_plus_one; /* 0: the slot is free */
};

struct ep_index {
	struct ep_index_slot *slots;
	uint32_t n_slots; /* a power of two, or 0 */
	uint32_t n_used;
};

/* Tells whether element idx of the owner's array is the element for the key. */
typedef bool (*ep_index_same_fn)(const void *owner, uint32_t idx, const void *key);

void ep_index_finish(struct ep_index *index);
/* Removes all elements and keeps the memory. */
void ep_index_clear(struct ep_index *index);
/* Returns the index of the element with this hash that same accepts; EP_NONE: there is none. */
uint32_t ep_index_find(const struct ep_index *index, uint64_t hash, ep_index_same_fn same,
	const void *owner, const void *key);
/* Adds an element that is not in the index yet. Returns 0 or -ENOMEM. */
int ep_index_add(struct ep_index *index, uint64_t hash, uint32_t idx) EP_MUST_CHECK;

/* Mixes value into hash (splitmix64's finaliser). */
static inline uint64_t ep_hash_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) + 0x9e3779b97f4a7c15ull;
	hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9ull;
	hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebull;
	return hash ^ (hash >> 31);
}

uint64_t ep_hash_bytes(uint64_t hash, const void *bytes, size_t size);

#endif
