// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/reduce/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/containers/index.h"
#include "common/size.h"
#include "common/trace.h"
#include "reporter/load/reader.h"

int ep_reduce_part_take(void *into, const char *value)
{
	uint64_t bytes;
	int rc = ep_size_parse(value, &bytes);

	if (rc)
		return rc;
	if (!bytes || bytes > UINT32_MAX)
		return -ERANGE;
	*(uint32_t *)into = (uint32_t)bytes;
	return 0;
}

void ep_reduce_inputs_finish(struct ep_reduce_inputs *inputs)
{
	for (uint32_t i = 0; i < inputs->n; i++)
		free(inputs->paths[i]);
	free(inputs->paths);
	free(inputs->sizes_bytes);
	*inputs = (struct ep_reduce_inputs){ 0 };
}

static bool is_same_file(const struct stat *st, const char *path)
{
	struct stat other;

	return !stat(path, &other) && st->st_dev == other.st_dev && st->st_ino == other.st_ino;
}

/* Adds a path. Keeps room for a NULL after the last path. */
static int add(struct ep_reduce_inputs *inputs, const char *path, uint64_t size_bytes)
{
	uint32_t capacity = inputs->capacity;

	if (inputs->n + 1 >= capacity) {
		char **paths;
		uint64_t *sizes;

		capacity = capacity ? 2 * capacity : 64;
		paths = realloc(inputs->paths, capacity * sizeof(*paths));
		if (!paths)
			return -ENOMEM;
		inputs->paths = paths;
		sizes = realloc(inputs->sizes_bytes, capacity * sizeof(*sizes));
		if (!sizes)
			return -ENOMEM;
		inputs->sizes_bytes = sizes;
		inputs->capacity = capacity;
	}
	inputs->paths[inputs->n] = strdup(path);
	if (!inputs->paths[inputs->n])
		return -ENOMEM;
	inputs->sizes_bytes[inputs->n++] = size_bytes;
	inputs->paths[inputs->n] = NULL;
	return 0;
}

static int is_trace_name(const struct dirent *entry)
{
	size_t size = strlen(entry->d_name);

	return size > 3 && !strcmp(entry->d_name + size - 3, ".gz");
}

/* Orders names by the numbers in them: trace.9.gz comes before trace.10.gz. */
static int by_number(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

static int add_of_folder(struct ep_reduce_inputs *inputs, const char *folder, const char *output)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, is_trace_name, by_number), rc = n < 0 ? -errno : 0;

	for (int i = 0; i < n; i++) {
		EP_AUTOFREE char *path = NULL;
		struct stat st;

		if (asprintf(&path, "%s/%s", folder, entries[i]->d_name) < 0) {
			path = NULL;
			rc = -ENOMEM;
		}
		free(entries[i]);
		if (!rc && !stat(path, &st) && S_ISREG(st.st_mode) && !is_same_file(&st, output))
			rc = add(inputs, path, (uint64_t)st.st_size);
	}
	if (n >= 0)
		free(entries);
	return rc;
}

/* Returns the type of the file's first block; 0: the file is no trace. */
static uint8_t first_type(const char *path)
{
	uint8_t start[EP_TRACE_START_BYTES + 2];
	EP_AUTOFCLOSE FILE *file = fopen(path, "re");

	return file && fread(start, sizeof(start), 1, file) == 1 && ep_trace_is_start(start)
		       ? start[EP_TRACE_START_BYTES + 1]
		       : 0;
}

static int check_output(const char *output, struct ep_error *err)
{
	if (!ep_reader_is_trace(output) || first_type(output) == EP_BLOCK_REDUCED)
		return 0;
	return ep_fail(err, -EEXIST,
		"%s is a trace, or packed like one: the sums would replace it; name another file with -o",
		output);
}

static int add_named(struct ep_reduce_inputs *inputs, const char *name, const char *output)
{
	struct stat st = { 0 };
	bool is_there = !stat(name, &st);

	if (is_there && S_ISDIR(st.st_mode))
		return add_of_folder(inputs, name, output);
	inputs->has_pipe |= !strcmp(name, "-") || (is_there && !S_ISREG(st.st_mode));
	return add(inputs, name, S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0);
}

int ep_reduce_inputs_find(const char *const *names, const char *output,
	struct ep_reduce_inputs *out, struct ep_error *err)
{
	int rc = check_output(output, err);

	if (rc)
		return rc;
	for (size_t i = 0; names[i]; i++) {
		rc = add_named(out, names[i], output);
		if (rc)
			return ep_fail_at(err, rc, (struct ep_place){ .file = names[i] },
				"cannot read: %s", strerror(-rc));
	}
	return out->n ? 0
		      : ep_fail(err, -ENOENT, "there is no file in %s whose name ends in .gz",
				names[0]);
}
