// SPDX-License-Identifier: BSD-3-Clause
#include "preload_variable.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "common/os/sys.h"

#define NAME "LD_PRELOAD="

static const char *const libraries[] = { "/libevprof.so", "/libevprof-waits.so" };

static bool is_preload(const char *entry)
{
	return !strncmp(entry, NAME, strlen(NAME));
}

static bool ends_with(const char *text, size_t size, const char *end)
{
	size_t end_size = strlen(end);

	return size >= end_size && !memcmp(text + size - end_size, end, end_size);
}

/* Returns the size of the first library's path; 0: the library is not evprof's, or its path has no folder. ld.so takes
 * blanks and colons as separators. */
static size_t own_size(const char *value)
{
	size_t size = strcspn(value, ": ");

	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (ends_with(value, size, libraries[i]))
			return size;
	return 0;
}

static bool is_in_reach(const char *path, size_t size)
{
	char text[EP_PRELOAD_TEXT_BYTES];
	long rc;

	if (size >= sizeof(text))
		return true;
	memcpy(text, path, size);
	text[size] = '\0';
	rc = ep_sys(__NR_faccessat, AT_FDCWD, text, R_OK);
	return rc != -ENOENT && rc != -EACCES && rc != -ENOTDIR;
}

size_t ep_preload_variable_lost(char *const envp[], bool is_refused)
{
	size_t n = 0, found = 0;

	for (; envp && envp[n]; n++)
		if (!found && is_preload(envp[n]))
			found = n + 1;
	if (!found)
		return 0;
	const char *value = envp[found - 1] + strlen(NAME);
	size_t size = own_size(value);

	if (!size || strlen(value) - size >= EP_PRELOAD_TEXT_BYTES - strlen(NAME) ||
		(!is_refused && is_in_reach(value, size)))
		return 0;
	return n;
}

static __thread struct {
	char **pointers;
	size_t n;
} room __attribute__((tls_model("initial-exec")));

void ep_preload_variable_release(void)
{
	if (room.pointers)
		ep_sys_unmap(room.pointers, room.n * sizeof(*room.pointers));
	room.pointers = NULL;
}

char **ep_preload_variable_room(size_t n)
{
	if (room.pointers && room.n >= n)
		return room.pointers;
	ep_preload_variable_release();
	room.pointers = ep_sys_map(n * sizeof(*room.pointers));
	room.n = n;
	return room.pointers;
}

void ep_preload_variable_drop(char *const envp[], char **kept, char text[EP_PRELOAD_TEXT_BYTES])
{
	bool is_first = true;

	for (; *envp; envp++) {
		const char *value = *envp + strlen(NAME);

		if (!is_first || !is_preload(*envp)) {
			*kept++ = *envp;
			continue;
		}
		is_first = false;
		value += own_size(value);
		if (!*value)
			continue;
		memcpy(text, NAME, strlen(NAME));
		memcpy(text + strlen(NAME), value + 1, strlen(value + 1) + 1);
		*kept++ = text;
	}
	*kept = NULL;
}
