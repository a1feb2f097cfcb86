// SPDX-License-Identifier: BSD-3-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/load/load.h"
#include "reporter/load/loader.h"

/* limit for one process, which bounds the memory that a damaged trace can take */
#define MAX_BYTES (64u << 20)

static struct ep_kept_map *find_map(const struct ep_kept_maps *maps, uint32_t pid)
{
	for (uint32_t i = 0; i < maps->n_rows; i++)
		if (maps->rows[i].pid == pid)
			return &maps->rows[i];
	return NULL;
}

struct ep_kept_map *ep_kept_map_of(const struct ep_kept_maps *maps, uint32_t pid)
{
	return find_map(maps, pid);
}

static struct ep_kept_map *find_or_add(struct ep_kept_maps *maps, struct ep_process_key key)
{
	struct ep_kept_map *map = find_map(maps, key.pid);

	if (map)
		return map;
	if (EP_ARRAY_RESERVE(maps->rows, maps->n_rows, maps->capacity))
		return NULL;
	map = &maps->rows[maps->n_rows++];
	*map = (struct ep_kept_map){ .pid = key.pid, .birth_ns = key.birth_ns };
	return map;
}

int ep_kept_maps_take(struct loader *loader, uint32_t process_idx, const struct ep_block *block)
{
	struct ep_kept_map *map;
	char *text;

	if (loader->trace->knows_codes)
		return 0;
	map = find_or_add(&loader->trace->kept_maps, block->key);
	if (!map)
		return -ENOMEM;
	if (map->birth_ns != block->key.birth_ns) {
		map->is_shared = true;
		return 0;
	}
	if (map->size + block->size_bytes > MAX_BYTES)
		return -EBADMSG;
	text = realloc(map->text, map->size + block->size_bytes + 1);
	if (!text)
		return -ENOMEM;
	memcpy(text + map->size, block->body, block->size_bytes);
	map->text = text;
	map->size += block->size_bytes;
	return 0;
}

int ep_kept_codes_take(struct loader *loader, uint32_t process_idx, const struct ep_block *block)
{
	struct ep_kept_map *map;

	if (loader->trace->knows_codes)
		return 0;
	map = find_or_add(&loader->trace->kept_maps, block->key);
	if (!map)
		return -ENOMEM;
	if (map->birth_ns == block->key.birth_ns)
		return ep_made_codes_take(&map->codes, &loader->trace->strings, block);
	map->is_shared = true;
	return 0;
}

void ep_kept_maps_finish(struct ep_kept_maps *maps)
{
	for (uint32_t i = 0; i < maps->n_rows; i++) {
		free(maps->rows[i].text);
		ep_made_codes_finish(&maps->rows[i].codes);
	}
	free(maps->rows);
	*maps = (struct ep_kept_maps){ 0 };
}
