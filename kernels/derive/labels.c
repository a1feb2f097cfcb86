// SPDX-License-Identifier: BSD-3-Clause
/* Hashed ordered name sets. One thread at a time. */
#include "kernels/derive/labels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a, 64 bits (Fowler, Noll, Vo). */
static uint64_t hash_name(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3ull;
	return hash;
}

static size_t find_slot(const struct ep_labels *names, const char *name)
{
	size_t slot = hash_name(name) & (names->n_slots - 1);

	while (names->slots[slot] && strcmp(names->items[names->slots[slot] - 1], name))
		slot = (slot + 1) & (names->n_slots - 1);
	return slot;
}

static int grow(struct ep_labels *names)
{
	size_t capacity = names->capacity ? names->capacity * 2 : 64;
	const char **items = realloc(names->items, capacity * sizeof(*items));

	if (!items)
		return -ENOMEM;
	names->items = items;
	uint32_t *slots = calloc(capacity * 2, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(names->slots);
	names->slots = slots;
	names->n_slots = capacity * 2;
	names->capacity = capacity;
	for (size_t i = 0; i < names->n; i++)
		slots[find_slot(names, items[i])] = (uint32_t)i + 1;
	return 0;
}

int ep_labels_add(struct ep_labels *names, const char *name, size_t *out_idx, int *out_is_new)
{
	if (names->n == names->capacity && grow(names))
		return -ENOMEM;

	size_t slot = find_slot(names, name);
	*out_is_new = !names->slots[slot];
	if (*out_is_new) {
		names->items[names->n++] = name;
		names->slots[slot] = (uint32_t)names->n;
	}
	*out_idx = names->slots[slot] - 1;
	return 0;
}

long ep_labels_find(const struct ep_labels *names, const char *name)
{
	if (!names->n_slots)
		return -1;
	return (long)names->slots[find_slot(names, name)] - 1;
}

void ep_labels_finish(struct ep_labels *names)
{
	free(names->items);
	free(names->slots);
	*names = (struct ep_labels){ 0 };
}
