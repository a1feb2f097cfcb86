// SPDX-License-Identifier: BSD-3-Clause
#include "common/containers/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool same_text(const void *owner, uint32_t idx, const void *key)
{
	return !strcmp(((const struct ep_names *)owner)->texts[idx], key);
}

static uint64_t hash_of(const char *text)
{
	return ep_hash_bytes(0, text, strlen(text));
}

int ep_names_add(struct ep_names *names, const char *text, uint32_t *out_idx)
{
	uint32_t idx = ep_names_find(names, text);

	if (idx == EP_NONE) {
		char *copy = strdup(text);

		idx = names->n_names;
		if (!copy || EP_ARRAY_RESERVE(names->texts, idx, names->capacity) ||
			ep_index_add(&names->index, hash_of(text), idx)) {
			free(copy);
			return -ENOMEM;
		}
		names->texts[names->n_names++] = copy;
	}
	*out_idx = idx;
	return 0;
}

uint32_t ep_names_find(const struct ep_names *names, const char *text)
{
	return ep_index_find(&names->index, hash_of(text), same_text, names, text);
}

void ep_names_finish(struct ep_names *names)
{
	for (uint32_t i = 0; i < names->n_names; i++)
		free(names->texts[i]);
	free(names->texts);
	ep_index_finish(&names->index);
	*names = (struct ep_names){ 0 };
}
