// SPDX-License-Identifier: BSD-3-Clause
#include "jit_marker.h"
#include "common/os/large.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#define MAX_PATH_BYTES 1024

static EP_LARGE char kept[MAX_PATH_BYTES];
static _Atomic bool is_kept;

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_dump(const char *name, size_t size)
{
	static const char start[] = "jit-", end[] = ".dump";
	const size_t n_start = sizeof(start) - 1, n_end = sizeof(end) - 1;

	if (size <= n_start + n_end || memcmp(name, start, n_start) ||
		memcmp(name + size - n_end, end, n_end))
		return false;
	for (size_t i = n_start; i < size - n_end; i++)
		if (!is_digit(name[i]))
			return false;
	return true;
}

/* Returns the size in bytes of the folder of a path, with the slash at its end. memrchr is not used, since it must not
 * be called in signal handlers. */
static size_t folder_bytes(const char *path, size_t size)
{
	while (size && path[size - 1] != '/')
		size--;
	return size;
}

void ep_jit_marker_see(const char *path, size_t size)
{
	size_t folder = folder_bytes(path, size);

	if (!folder || path[0] != '/' || size >= MAX_PATH_BYTES || atomic_load(&is_kept) ||
		!is_dump(path + folder, size - folder))
		return;
	memcpy(kept, path, size);
	kept[size] = '\0';
	atomic_store(&is_kept, true);
}

const char *ep_jit_marker_path(void)
{
	return atomic_load(&is_kept) ? kept : NULL;
}
