// SPDX-License-Identifier: BSD-3-Clause
/* Reads formula files and the files that they include. Any thread may call these functions. */
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "common/formula/formula_keys.h"

enum { MAX_INCLUDE_DEPTH = 8 };

/* Moves those entries of `from` that `to` does not define to the end of the entries of `to`. The others stay in
 * `from`. */
#define DEFINE_APPEND(what)                                                                        \
	static int append_##what##s(struct ep_formula_file *to, struct ep_formula_file *from)      \
	{                                                                                          \
		size_t n_most = (size_t)to->n_##what##s + from->n_##what##s + 1, n_left = 0;       \
		void *bigger = realloc(to->what##s, n_most * sizeof(*to->what##s));                \
                                                                                                   \
		if (!bigger)                                                                       \
			return -ENOMEM;                                                            \
		to->what##s = bigger;                                                              \
		for (uint32_t i = 0; i < from->n_##what##s; i++)                                   \
			if (ep_formula_file_has_##what(to, from->what##s[i].name))                 \
				from->what##s[n_left++] = from->what##s[i];                        \
			else                                                                       \
				to->what##s[to->n_##what##s++] = from->what##s[i];                 \
		from->n_##what##s = (uint32_t)n_left;                                              \
		return 0;                                                                          \
	}

DEFINE_APPEND(parameter)
DEFINE_APPEND(metric)
DEFINE_APPEND(check)

static int append_entries(struct ep_formula_file *to, struct ep_formula_file *from)
{
	return append_parameters(to, from) || append_metrics(to, from) || append_checks(to, from)
		       ? -ENOMEM
		       : 0;
}

static char *beside(const char *path, const char *relative)
{
	EP_AUTOFREE char *copy = strdup(path);
	char *joined = NULL;

	if (!copy || asprintf(&joined, "%s/%s", dirname(copy), relative) < 0)
		return NULL;
	return joined;
}

static int read_one(const char *path, struct ep_formula_file *out, struct ep_error *err)
{
	EP_AUTOFREE char *text = NULL;
	size_t size;
	int rc = ep_file_read(path, &text, &size, err);

	return rc ? rc : ep_formula_file_parse(path, text, size, out, err);
}

static int read_with_includes(
	const char *path, int depth, struct ep_formula_file *out, struct ep_error *err);

/* Adds the entries of one file of an include line. */
static int read_include(
	const char *path, int depth, struct ep_formula_file *to, struct ep_error *err)
{
	__attribute__((cleanup(ep_formula_file_finish))) struct ep_formula_file more = { 0 };
	int rc;

	if (depth == MAX_INCLUDE_DEPTH)
		return ep_fail_at(err, -ELOOP, (struct ep_place){ .file = path },
			"included more than %d levels deep; do files include each other?",
			MAX_INCLUDE_DEPTH);
	rc = read_with_includes(path, depth + 1, &more, err);
	if (!rc && append_entries(to, &more))
		rc = ep_fail(err, -ENOMEM, "out of memory");
	return rc;
}

static int read_with_includes(
	const char *path, int depth, struct ep_formula_file *out, struct ep_error *err)
{
	__attribute__((cleanup(ep_formula_file_finish))) struct ep_formula_file file = { 0 };
	EP_AUTOFREE char *includes = NULL;
	int rc = read_one(path, &file, err);
	char *rest, *word;

	if (!rc && file.include) {
		includes = strdup(file.include);
		if (!includes)
			return ep_fail(err, -ENOMEM, "out of memory");
	}
	rest = includes;
	while (!rc && rest && (word = strsep(&rest, " "))) {
		EP_AUTOFREE char *next = *word ? beside(path, word) : NULL;

		if (next && access(next, R_OK))
			rc = ep_fail_at(err, -errno, (struct ep_place){ .file = path },
				"include '%s': cannot open %s: %s", word, next, strerror(errno));
		else if (next)
			rc = read_include(next, depth, &file, err);
	}
	if (rc)
		return rc;
	*out = file;
	file = (struct ep_formula_file){ 0 };
	return 0;
}

static int check_parents(const char *path, const struct ep_formula_file *file, struct ep_error *err)
{
	for (uint32_t i = 0; i < file->n_metrics; i++) {
		const struct ep_formula_metric *metric = &file->metrics[i];

		if (metric->parent && !ep_formula_file_has_metric(file, metric->parent))
			return ep_fail_at(err, -EINVAL, (struct ep_place){ .file = path },
				"metric %s: its parent '%s' is no metric of this file",
				metric->name, metric->parent);
	}
	return 0;
}

int ep_formula_file_read(const char *path, struct ep_formula_file *out, struct ep_error *err)
{
	__attribute__((cleanup(ep_formula_file_finish))) struct ep_formula_file file = { 0 };
	int rc = read_with_includes(path, 0, &file, err);

	if (!rc)
		rc = check_parents(path, &file, err);
	if (rc)
		return rc;
	*out = file;
	file = (struct ep_formula_file){ 0 };
	return 0;
}
