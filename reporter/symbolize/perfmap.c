// SPDX-License-Identifier: BSD-3-Clause
/* Maps that JIT compilers write: lines of "START SIZE NAME", hexadecimal, later lines override. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/symbolize/symbolize_private.h"

struct map_entry {
	uint64_t start, size;
	uint32_t order;
	char *name;
};

struct ep_perf_map {
	struct map_entry *entries;
	uint32_t n_entries, capacity;
};

static int by_start(const void *a, const void *b)
{
	const struct map_entry *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void add_line(struct ep_perf_map *map, char *line)
{
	struct map_entry entry = { .order = map->n_entries };
	int name_at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%lx %lx %n", &entry.start, &entry.size, &name_at) < 2 || !name_at)
		return;
	entry.name = strdup(line + name_at);
	if (!entry.name)
		return;
	if (ep_array_reserve((void **)&map->entries, map->n_entries, &map->capacity, sizeof(entry)))
		free(entry.name);
	else
		map->entries[map->n_entries++] = entry;
}

struct ep_perf_map *ep_perf_map_open(const char *sysroot, uint32_t pid)
{
	struct ep_perf_map *map;
	EP_AUTOFCLOSE FILE *file = NULL;
	EP_AUTOFREE char *line = NULL;
	char path[4096];
	size_t capacity = 0;

	snprintf(path, sizeof(path), "%s/tmp/perf-%u.map", sysroot ? sysroot : "", pid);
	file = fopen(path, "re");
	if (!file)
		return NULL;
	map = calloc(1, sizeof(*map));
	while (map && getline(&line, &capacity, file) > 0)
		add_line(map, line);
	if (map && map->n_entries)
		qsort(map->entries, map->n_entries, sizeof(*map->entries), by_start);
	return map;
}

void ep_perf_map_destroy(struct ep_perf_map *map)
{
	if (!map)
		return;
	for (uint32_t i = 0; i < map->n_entries; i++)
		free(map->entries[i].name);
	free(map->entries);
	free(map);
}

const char *ep_perf_map_name(const struct ep_perf_map *map, uint64_t address)
{
	uint32_t low = 0, high = map->n_entries;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (map->entries[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address - map->entries[low - 1].start >= map->entries[low - 1].size)
		return NULL;
	return map->entries[low - 1].name;
}
