// SPDX-License-Identifier: BSD-3-Clause
#include "preload_variable.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "common/os/sys.h"

#define NAME "LD_PRELOAD="

#define SEPARATORS ": " /* ld.so accepts both */

enum { PATH_BYTES = 512 };

static const char *const libraries[] = { "libevprof.so", "libevprof-waits.so" };

static bool is_preload(const char *variable)
{
	return !strncmp(variable, NAME, strlen(NAME));
}

static bool is_own(const char *path, size_t size)
{
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		size_t name_size = strlen(libraries[i]);

		if (size >= name_size &&
			!memcmp(path + size - name_size, libraries[i], name_size) &&
			(size == name_size || path[size - name_size - 1] == '/'))
			return true;
	}
	return false;
}

/* Tells whether ld.so can open the library. Returns true if this cannot be known: ld.so searches many folders for a
 * name without a folder, and replaces parts that begin with a dollar. */
static bool is_in_reach(const char *path, size_t size)
{
	char text[PATH_BYTES];
	long rc;

	if (size >= sizeof(text) || !memchr(path, '/', size) || memchr(path, '$', size))
		return true;
	memcpy(text, path, size);
	text[size] = '\0';
	rc = ep_sys(__NR_faccessat, AT_FDCWD, text, R_OK);
	return rc != -ENOENT && rc != -EACCES && rc != -ENOTDIR;
}

static bool is_lost(const char *path, size_t size, bool is_refused)
{
	return is_own(path, size) && (is_refused || !is_in_reach(path, size));
}

static bool has_lost(const char *list, bool is_refused)
{
	for (list += strspn(list, SEPARATORS); *list; list += strspn(list, SEPARATORS)) {
		size_t size = strcspn(list, SEPARATORS);

		if (is_lost(list, size, is_refused))
			return true;
		list += size;
	}
	return false;
}

size_t ep_preload_variable_lost(char *const envp[], bool is_refused)
{
	size_t n = 0, found = 0;

	for (; envp && envp[n]; n++)
		if (!found && is_preload(envp[n]))
			found = n + 1;
	if (!found || !has_lost(envp[found - 1] + strlen(NAME), is_refused))
		return 0;
	return n + 1 + (strlen(envp[found - 1]) + sizeof(*envp)) / sizeof(*envp);
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

/* Copies the list without the libraries that are lost, each of the others with the separators before it. text has room
 * for the whole list. */
static void copy_kept(const char *list, bool is_refused, char *text)
{
	size_t n = 0;

	while (*list) {
		size_t separators = strspn(list, SEPARATORS);
		size_t size = strcspn(list + separators, SEPARATORS);
		size_t skipped = n ? 0 : separators;

		if (!is_lost(list + separators, size, is_refused)) {
			memcpy(text + n, list + skipped, separators - skipped + size);
			n += separators - skipped + size;
		}
		list += separators + size;
	}
	text[n] = '\0';
}

void ep_preload_variable_drop(char *const envp[], bool is_refused, char **kept)
{
	bool is_first = true;
	size_t n = 0;

	while (envp[n])
		n++;
	char *text = (char *)(kept + n + 1);

	for (; *envp; envp++) {
		if (!is_first || !is_preload(*envp)) {
			*kept++ = *envp;
			continue;
		}
		is_first = false;
		memcpy(text, NAME, strlen(NAME));
		copy_kept(*envp + strlen(NAME), is_refused, text + strlen(NAME));
		if (text[strlen(NAME)])
			*kept++ = text;
	}
	*kept = NULL;
}
