// SPDX-License-Identifier: BSD-3-Clause
/* Prepares the environment of a program that is about to run. Used by the launcher only, single-threaded. */
#include "launch.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"

/* ---- the library ---- */

static bool try_file(char out_path[PATH_MAX], const char *folder, const char *below)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", folder, below);
	return !access(path, R_OK) && realpath(path, out_path);
}

/* Finds the folder of this program. Returns false if it is not known. */
static bool find_own_folder(char out_folder[PATH_MAX])
{
	ssize_t size = readlink("/proc/self/exe", out_folder, PATH_MAX - 1);
	char *slash;

	out_folder[size > 0 ? size : 0] = '\0';
	slash = strrchr(out_folder, '/');
	if (slash)
		*slash = '\0';
	return slash != NULL;
}

static const char *const libraries[] = { "libevprof.so", "libevprof-waits.so" };

int ep_launch_find_library(bool notes_waits, char out_path[PATH_MAX], struct ep_error *err)
{
	const char *name = libraries[notes_waits];
	char folder[PATH_MAX], beside[64], below[PATH_MAX];

	snprintf(beside, sizeof(beside), "/%s", name);
	snprintf(below, sizeof(below), "/../" EVPROF_LIBDIR "/%s", name);
	if (find_own_folder(folder) &&
		(try_file(out_path, folder, beside) || try_file(out_path, folder, below)))
		return 0;
	if (try_file(out_path, EVPROF_PREFIX "/" EVPROF_LIBDIR, beside))
		return 0;
	return ep_fail(err, -ENOENT, "%s is neither in %s nor in %s; build it or install it", name,
		folder, EVPROF_PREFIX "/" EVPROF_LIBDIR);
}

int ep_launch_find_evreport(char out_path[PATH_MAX], struct ep_error *err)
{
	char folder[PATH_MAX];

	if (find_own_folder(folder) && (try_file(out_path, folder, "/evreport") ||
					       try_file(out_path, folder, "/../reporter/evreport")))
		return 0;
	return ep_fail(err, -ENOENT,
		"the report is not shown: evreport is not in %s, where evprof is", folder);
}

static bool has_file(const char *list, const char *path, size_t size)
{
	for (const char *at = strstr(list, path); at; at = strstr(at + 1, path))
		if ((at == list || strchr(" :", at[-1])) && (!at[size] || strchr(" :", at[size])))
			return true;
	return false;
}

/* Tells whether list (LD_PRELOAD) already has the library, or evprof's other library beside it, which happens if evprof
 * run starts evprof run. Two libraries would be two profilers. */
static bool has_library(const char *list, const char *library)
{
	const char *slash = strrchr(library, '/');
	int folder_size = slash ? (int)(slash + 1 - library) : 0;

	for (size_t i = 0; i < EP_ARRAY_SIZE(libraries); i++) {
		char path[PATH_MAX];
		int size =
			snprintf(path, sizeof(path), "%.*s%s", folder_size, library, libraries[i]);

		if (size < (int)sizeof(path) && has_file(list, path, (size_t)size))
			return true;
	}
	return false;
}

int ep_launch_set_preload(const char *library, struct ep_error *err)
{
	const char *old = getenv("LD_PRELOAD");
	EP_AUTOFREE char *both = NULL;

	if (strpbrk(library, " :$"))
		return ep_fail(err, -EINVAL,
			"the loader cannot preload '%s': no space, colon or dollar may be in the path",
			library);
	if (old && has_library(old, library))
		return 0;
	if (old && old[0]) {
		if (asprintf(&both, "%s:%s", library, old) < 0)
			return ep_fail(err, -ENOMEM, "out of memory");
		library = both;
	}
	return setenv("LD_PRELOAD", library, 1) ? -ENOMEM : 0;
}

/* ---- paths ---- */

static char *double_percents(const char *text)
{
	char *out = malloc(2 * strlen(text) + 1), *at = out;

	for (; out && *text; text++) {
		*at++ = *text;
		if (*text == '%')
			*at++ = '%';
	}
	if (out)
		*at = '\0';
	return out;
}

char *ep_launch_absolute(const char *path)
{
	EP_AUTOFREE char *folder = path[0] == '/' ? NULL : getcwd(NULL, 0);
	EP_AUTOFREE char *escaped = folder ? double_percents(folder) : NULL;
	char *whole = NULL;

	if (!escaped)
		return strdup(path);
	return asprintf(&whole, "%s/%s", escaped, path) < 0 ? NULL : whole;
}

char *ep_launch_absolute_source(const char *source)
{
	EP_AUTOFREE char *folder = NULL;
	char *whole = NULL;

	if (strncmp(source, "sim:", 4) || source[4] == '/')
		return strdup(source);
	folder = getcwd(NULL, 0);
	if (!folder)
		return strdup(source);
	return asprintf(&whole, "sim:%s/%s", folder, source + 4) < 0 ? NULL : whole;
}
