// SPDX-License-Identifier: BSD-3-Clause
/* Ordered sets of names with a hash index. Used by one thread at a time. */
#include "kernels/derive/labels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool same_name(const void *owner, uint32_t idx, const void *key)
{
	return !strcmp(((const struct ep_labels *)owner)->items[idx], key);
}

static uint64_t hash_of(const char *name)
{
	return ep_hash_bytes(0, name, strlen(name));
}

int ep_labels_add(struct ep_labels *names, const char *name, size_t *out_idx, int *out_is_new)
{
	long idx = ep_labels_find(names, name);

	*out_is_new = idx < 0;
	if (*out_is_new) {
		if (EP_ARRAY_RESERVE(names->items, names->n, names->capacity) ||
			ep_index_add(&names->index, hash_of(name), (uint32_t)names->n))
			return -ENOMEM;
		idx = (long)names->n;
		names->items[names->n++] = name;
	}
	*out_idx = (size_t)idx;
	return 0;
}

long ep_labels_find(const struct ep_labels *names, const char *name)
{
	uint32_t idx = ep_index_find(&names->index, hash_of(name), same_name, names, name);

	return idx == EP_NONE ? -1 : (long)idx;
}

void ep_labels_finish(struct ep_labels *names)
{
	free(names->items);
	ep_index_finish(&names->index);
	*names = (struct ep_labels){ 0 };
}
