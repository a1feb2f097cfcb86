// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/export/text_ids.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/text/utf8.h"

static bool same_text(const void *owner, uint32_t idx, const void *key)
{
	return !strcmp(((const struct ep_text_ids *)owner)->rows[idx], key);
}

/* Takes copy over. */
static uint32_t add(struct ep_text_ids *ids, char *copy)
{
	uint64_t hash = copy ? ep_hash_bytes(0, copy, strlen(copy)) : 0;
	uint32_t idx = copy ? ep_index_find(&ids->index, hash, same_text, ids, copy) : 0;

	if (!copy || idx != EP_NONE ||
		ep_array_reserve(
			(void **)&ids->rows, ids->n_rows, &ids->capacity, sizeof(*ids->rows)) ||
		ep_index_add(&ids->index, hash, ids->n_rows)) {
		ids->out_of_memory |= !copy || idx == EP_NONE;
		free(copy);
		return idx == EP_NONE ? 0 : idx;
	}
	ids->rows[ids->n_rows] = copy;
	return ids->n_rows++;
}

uint32_t ep_text_ids_add(struct ep_text_ids *ids, const char *text)
{
	if (!ids->n_rows)
		add(ids, strdup(""));
	return text && *text ? add(ids, ep_utf8_copy(text)) : 0;
}

void ep_text_ids_finish(struct ep_text_ids *ids)
{
	for (uint32_t i = 0; i < ids->n_rows; i++)
		free(ids->rows[i]);
	free(ids->rows);
	ep_index_finish(&ids->index);
	*ids = (struct ep_text_ids){ 0 };
}
