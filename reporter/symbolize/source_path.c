// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the path of a source file. Build systems often compile in a folder of their own. Debug information then has
 * paths relative to that folder, such as "../src/a.c", and the folder's path (DWARF 5, 3.1.1: DW_AT_comp_dir). One
 * thread at a time may add paths.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>

#include "reporter/symbolize/symbolize_private.h"

#define MAX_PATH_BYTES 4096

/* The first n bytes of a path, without "." and "..". */
struct clean_path {
	char text[MAX_PATH_BYTES];
	size_t n;
};

static void leave_folder(struct clean_path *path)
{
	while (path->n && path->text[--path->n] != '/')
		;
}

/* Appends a part of a path; ".." takes the last folder away. Returns false if there is no room. */
static bool add_part(struct clean_path *path, const char *part, size_t n)
{
	if (!n || (n == 1 && part[0] == '.'))
		return true;
	if (n == 2 && !memcmp(part, "..", 2)) {
		leave_folder(path);
		return true;
	}
	if (path->n + 1 + n > sizeof(path->text))
		return false;
	path->text[path->n++] = '/';
	memcpy(path->text + path->n, part, n);
	path->n += n;
	return true;
}

static bool add_parts(struct clean_path *path, const char *parts)
{
	while (*parts) {
		size_t n = strcspn(parts, "/");

		if (!add_part(path, parts, n))
			return false;
		parts += n + (parts[n] == '/');
	}
	return true;
}

const char *ep_source_path_join(struct ep_strings *paths, const char *folder, const char *name)
{
	struct clean_path path = { .n = 0 };
	const char *joined;

	if (name[0] == '/' || !folder || folder[0] != '/')
		return name;
	if (!add_parts(&path, folder) || !add_parts(&path, name))
		return name;
	joined = ep_strings_add(paths, path.text, path.n);
	return joined ? joined : name;
}

const char *ep_source_path(struct ep_strings *paths, Dwarf_Die *unit, const char *name)
{
	Dwarf_Attribute attribute;

	if (!name || name[0] == '/')
		return name;
	return ep_source_path_join(paths,
		dwarf_formstring(dwarf_attr_integrate(unit, DW_AT_comp_dir, &attribute)), name);
}
