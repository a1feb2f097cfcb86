// SPDX-License-Identifier: BSD-3-Clause
/* Reads folders of data sets. */
#include "kernels/derive/set.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"

static void find_path(char *out, const char *given, const char *folder, const char *name)
{
	if (given)
		snprintf(out, PATH_MAX, "%s", given);
	else
		snprintf(out, PATH_MAX, "%s/%s", folder, name);
}

static void find_events_path(char *out, const struct ep_set_paths *paths)
{
	find_path(out, paths->events, paths->folder, "events.csv");
	if (!paths->events && access(out, F_OK))
		find_path(out, NULL, paths->folder, "events.csv.gz");
}

static int read_params(struct ep_set *set, const struct ep_set_paths *paths, struct ep_error *err)
{
	char path[PATH_MAX];

	set->params = ep_params_default;
	find_path(path, paths->params, paths->folder, "params.json");
	if (!paths->params && access(path, F_OK))
		return 0;
	return ep_params_read(&set->params, path, err);
}

/* Returns the last part of the folder's path, after links and dots are resolved. */
static char *name_folder(const char *folder)
{
	EP_AUTOFREE char *real = realpath(folder, NULL);

	return real ? strdup(basename(real)) : strdup(folder);
}

int ep_set_match_signatures(struct ep_set *set, struct ep_error *err)
{
	const struct ep_labels *dims = &set->basis.columns, *columns = &set->signatures.columns;
	size_t n_dims = dims->n, n_metrics = set->signatures.rows.n;
	struct ep_place header = { set->signatures.path, 1, 0 };
	EP_AUTOFREE double *values = calloc(n_metrics * n_dims, sizeof(*values));

	if (!values)
		return ep_fail(err, -ENOMEM, "out of memory");
	for (size_t c = 0; c < columns->n; c++) {
		long dim = ep_labels_find(dims, columns->items[c]);

		if (dim < 0)
			return ep_fail_at(err, -EINVAL, header,
				"expectation \"%s\" is not a column of the basis",
				columns->items[c]);
		for (size_t m = 0; m < n_metrics; m++)
			values[m * n_dims + dim] = set->signatures.values[m * columns->n + c];
	}
	if (columns->n != n_dims)
		return ep_fail_at(err, -EINVAL, header, "%zu expectations, the basis has %zu",
			columns->n, n_dims);
	memcpy(set->signatures.values, values, n_metrics * n_dims * sizeof(*values));
	return 0;
}

static int read_parts(struct ep_set *set, const struct ep_set_paths *paths, struct ep_error *err)
{
	char path[PATH_MAX];
	int rc = read_params(set, paths, err);

	if (rc)
		return rc;
	find_path(path, paths->basis, paths->folder, "basis.csv");
	rc = ep_labelled_read(&set->basis, path, "point", err);
	if (rc)
		return rc;
	find_path(path, paths->signatures, paths->folder, "signatures.csv");
	rc = ep_labelled_read(&set->signatures, path, "metric", err);
	if (!rc)
		rc = ep_set_match_signatures(set, err);
	if (rc)
		return rc;
	find_events_path(path, paths);
	return ep_events_read(&set->events, path, &set->basis.rows, err);
}

int ep_set_read(struct ep_set *set, const struct ep_set_paths *paths, struct ep_error *err)
{
	int rc;

	*set = (struct ep_set){ .name = name_folder(paths->folder), .path = strdup(paths->folder) };
	rc = set->name && set->path ? read_parts(set, paths, err)
				    : ep_fail(err, -ENOMEM, "out of memory");
	if (rc)
		ep_set_finish(set);
	return rc;
}

void ep_set_finish(struct ep_set *set)
{
	ep_labelled_finish(&set->basis);
	ep_labelled_finish(&set->signatures);
	ep_events_finish(&set->events);
	free(set->name);
	free(set->path);
	*set = (struct ep_set){ 0 };
}

bool ep_set_is_folder(const char *path)
{
	const struct ep_set_paths paths = { .folder = path };
	char events[PATH_MAX];

	find_events_path(events, &paths);
	return !access(events, F_OK);
}

int ep_set_visit_inside(
	const char *path, ep_set_visitor visit, void *context, size_t *out_n, struct ep_error *err)
{
	struct dirent **entries;
	int n = scandir(path, &entries, NULL, alphasort), rc = 0;

	*out_n = 0;
	if (n < 0)
		return ep_fail_at(err, -errno, (struct ep_place){ path, 0, 0 }, "cannot read: %s",
			strerror(errno));
	for (int i = 0; i < n; i++) {
		char inside[PATH_MAX];

		snprintf(inside, sizeof(inside), "%s/%s", path, entries[i]->d_name);
		if (!rc && entries[i]->d_name[0] != '.' && ep_set_is_folder(inside)) {
			rc = visit(context, inside, err);
			(*out_n)++;
		}
		free(entries[i]);
	}
	free(entries);
	return rc;
}
