// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/command/siblings.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/containers/array.h"
#include "reporter/symbolize/symbolize.h"

static void close_folder(DIR **folder)
{
	if (*folder)
		closedir(*folder);
}

/* Tells whether name is "STEM.DIGITS.gz" for base "STEM.gz". */
static bool is_sibling(const char *name, const char *base)
{
	size_t stem = strlen(base) - strlen(".gz"), digits;

	if (strncmp(name, base, stem) != 0 || name[stem] != '.')
		return false;
	digits = strspn(name + stem + 1, "0123456789");
	return digits && !strcmp(name + stem + 1 + digits, ".gz");
}

static int add(struct ep_siblings *out, const char *path)
{
	if (EP_ARRAY_RESERVE(out->paths, out->n + 1, out->capacity))
		return -ENOMEM;
	out->paths[out->n] = strdup(path);
	out->paths[out->n + 1] = NULL;
	return out->paths[out->n++] ? 0 : -ENOMEM;
}

static bool is_newer(const char *path, int64_t since_s)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && st.st_mtime >= since_s;
}

/* Orders trace.9.gz before trace.10.gz. */
static int by_number(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	size_t n = strlen(x), m = strlen(y);

	return n != m ? (n < m ? -1 : 1) : strcmp(x, y);
}

int ep_siblings_find(const char *path, int64_t since_s, struct ep_siblings *out)
{
	const char *base = ep_base_name(path);
	int folder_size = (int)(base - path);
	char name[4096];
	struct dirent *entry;
	int rc = 0;

	*out = (struct ep_siblings){ 0 };
	if (strlen(base) <= strlen(".gz") ||
		strcmp(base + strlen(base) - strlen(".gz"), ".gz") != 0)
		return 0;
	snprintf(name, sizeof(name), "%.*s", folder_size ? folder_size : 1,
		folder_size ? path : ".");
	__attribute__((cleanup(close_folder))) DIR *folder = opendir(name);
	while (!rc && folder && (entry = readdir(folder))) {
		snprintf(name, sizeof(name), "%.*s%s", folder_size, path, entry->d_name);
		if (is_sibling(entry->d_name, base) && is_newer(name, since_s))
			rc = add(out, name);
	}
	if (out->n)
		qsort(out->paths, out->n, sizeof(*out->paths), by_number);
	if (rc)
		ep_siblings_finish(out);
	return rc;
}

void ep_siblings_finish(struct ep_siblings *siblings)
{
	for (size_t i = 0; i < siblings->n; i++)
		free(siblings->paths[i]);
	free(siblings->paths);
	*siblings = (struct ep_siblings){ 0 };
}

int ep_siblings_note(const char *const *paths, struct ep_report *report)
{
	struct ep_siblings siblings;
	int rc;

	if (paths[1])
		return 0;
	rc = ep_siblings_find(paths[0], (int64_t)(report->started_ns / 1000000000), &siblings);
	if (!rc && siblings.n && report->started_ns)
		rc = ep_report_add_finding(report, EP_FINDING_NOTE,
			"Beside this trace %s (%s%s), of other ranks or of runs that began while it was written: evreport reads several as one.",
			siblings.n == 1 ? "lies a newer trace" : "lie newer traces",
			siblings.paths[0], siblings.n == 1 ? "" : ", ...");
	ep_siblings_finish(&siblings);
	return rc;
}
