// SPDX-License-Identifier: BSD-3-Clause
/* Reads the maps that JIT compilers write. They have lines of "START SIZE NAME", with hexadecimal numbers; later
 * lines override earlier ones. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/symbolize/symbolize_private.h"

/* File times have the granularity of the kernel's ticks, and clocks of machines in a network differ a little. */
#define CLOCK_SLACK_S 2

struct map_entry {
	uint64_t start, size;
	uint32_t order;
	const char *name; /* points into the map's text */
};

struct ep_perf_map {
	char *text;
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

	if (sscanf(line, "%lx %lx %n", &entry.start, &entry.size, &name_at) < 2 || !name_at)
		return;
	entry.name = line + name_at;
	if (!EP_ARRAY_RESERVE(map->entries, map->n_entries, map->capacity))
		map->entries[map->n_entries++] = entry;
}

static bool is_believed(const struct stat *st, const struct ep_map_question *question)
{
	struct stat root;

	if (!st->st_uid || st->st_uid == question->reader_uid || st->st_uid == question->trace_uid)
		return true;
	return !stat(question->sysroot ? question->sysroot : "/", &root) &&
	       st->st_uid == root.st_uid;
}

static bool is_older(const struct stat *st, uint64_t run_start_ns)
{
	return st->st_mtim.tv_sec + CLOCK_SLACK_S < (int64_t)(run_start_ns / 1000000000);
}

/* Opens a map that may be believed. Returns its descriptor; -1: there is none, and *out_status says why. */
static int open_believed(
	const struct ep_map_question *question, struct stat *out_st, enum ep_map_status *out_status)
{
	EP_AUTOCLOSE int fd = -1;
	char path[4096];
	int kept;

	snprintf(path, sizeof(path), "%s/tmp/perf-%u.map",
		question->sysroot ? question->sysroot : "", question->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	*out_status = EP_MAP_READ;
	if (fd < 0)
		*out_status = errno == ELOOP || errno == ENXIO    ? EP_MAP_NO_FILE
			      : errno == EACCES || errno == EPERM ? EP_MAP_UNREADABLE
								  : EP_MAP_NONE;
	else if (fstat(fd, out_st) || !S_ISREG(out_st->st_mode))
		*out_status = EP_MAP_NO_FILE;
	else if (!is_believed(out_st, question))
		*out_status = EP_MAP_FOREIGN;
	else if (is_older(out_st, question->run_start_ns))
		*out_status = EP_MAP_OLDER;
	if (*out_status != EP_MAP_READ)
		return -1;
	kept = fd;
	fd = -1;
	return kept;
}

static size_t read_text(int fd, char *text, size_t size)
{
	size_t n = 0;
	ssize_t got = 1;

	while (n < size && got > 0) {
		got = read(fd, text + n, size - n);
		n += got > 0 ? (size_t)got : 0;
	}
	return n;
}

/* Adds the lines of the text. The last line of a text that was cut is left out, since it may have half a name. */
static void add_lines(struct ep_perf_map *map, size_t size, bool is_cut)
{
	char *line = map->text, *end = map->text + size;

	*end = '\0';
	while (line < end) {
		char *stop = memchr(line, '\n', (size_t)(end - line));

		if (!stop && is_cut)
			return;
		stop = stop ? stop : end;
		*stop = '\0';
		add_line(map, line);
		line = stop + 1;
	}
}

static struct ep_perf_map *read_file(
	const struct ep_map_question *question, enum ep_map_status *out_status)
{
	struct stat st;
	EP_AUTOCLOSE int fd = open_believed(question, &st, out_status);
	struct ep_perf_map *map = fd < 0 ? NULL : calloc(1, sizeof(*map));
	size_t size;

	if (!map)
		return NULL;
	if ((uint64_t)st.st_size > question->max_bytes)
		*out_status = EP_MAP_CUT;
	size = *out_status == EP_MAP_CUT ? question->max_bytes : (size_t)st.st_size;
	map->text = malloc(size + 1);
	if (map->text)
		add_lines(map, read_text(fd, map->text, size), *out_status == EP_MAP_CUT);
	return map;
}

static struct ep_perf_map *copy_kept(const struct ep_kept_map *kept, enum ep_map_status *out_status)
{
	struct ep_perf_map *map = kept->is_shared ? NULL : calloc(1, sizeof(*map));

	*out_status = kept->is_shared ? EP_MAP_SHARED : EP_MAP_READ;
	if (!map)
		return NULL;
	map->text = malloc(kept->size + 1);
	if (!map->text)
		return map;
	if (kept->size)
		memcpy(map->text, kept->text, kept->size);
	add_lines(map, kept->size, false);
	return map;
}

struct ep_perf_map *ep_perf_map_open(
	const struct ep_map_question *question, enum ep_map_status *out_status)
{
	struct ep_perf_map *map = question->kept ? copy_kept(question->kept, out_status)
						 : read_file(question, out_status);

	if (map && map->n_entries)
		qsort(map->entries, map->n_entries, sizeof(*map->entries), by_start);
	return map;
}

void ep_perf_map_destroy(struct ep_perf_map *map)
{
	if (!map)
		return;
	free(map->entries);
	free(map->text);
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
