// SPDX-License-Identifier: BSD-3-Clause
/* Reads cat_collect's files and makes a data set of them. */
#include "kernels/native/native.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/containers/array.h"
#include "common/containers/names.h"
#include "common/file.h"
#include "kernels/derive/select.h"
#include "kernels/native/native_private.h"
#include "kernels/sets.h"

struct native_walk {
	const struct native_kind *kind;
	struct ep_names points; /* names of the points, from the first file */
	/* the basis of the set; it is made from the first file if the kind has no fixed one */
	struct ep_labelled *basis;
	struct ep_events_builder table; /* its number of points is set after the first file */
	size_t n_points;                /* number of points in the first file */
	size_t n_files, n_empty;
	unsigned rep;
};

/* The points of one file. */
struct native_points {
	size_t n_threads;
	uint32_t n, capacity;
	double *values; /* (P, T) counts by point and thread */
};

static void close_walk(struct native_walk *walk)
{
	ep_names_finish(&walk->points);
	ep_events_builder_finish(&walk->table);
}

static void finish_points(struct native_points *points)
{
	free(points->values);
}

static int append_point(struct native_points *points, const struct native_point *point)
{
	if (ep_array_reserve((void **)&points->values, points->n, &points->capacity,
		    points->n_threads * sizeof(*points->values)))
		return -ENOMEM;
	memcpy(points->values + points->n++ * points->n_threads, point->values,
		points->n_threads * sizeof(*point->values));
	return 0;
}

/* Adds the name of a point of the first file, which determines the points of all files. */
static int take_name(struct native_walk *walk, const struct native_point *point,
	struct ep_place place, struct ep_error *err)
{
	uint32_t n_before = walk->points.n_names, idx;

	if (ep_names_add(&walk->points, point->name, &idx))
		return ep_fail(err, -ENOMEM, "out of memory");
	if (idx < n_before)
		return ep_fail_at(err, -EINVAL, place, "point \"%s\" comes twice", point->name);
	return walk->kind->basis_columns
		       ? ep_labelled_add(walk->basis, point->name, point->expected, err)
		       : 0;
}

static int take_point(struct native_walk *walk, struct native_points *points,
	const struct native_point *point, struct ep_place place, struct ep_error *err)
{
	int rc;

	if (!points->n)
		points->n_threads = point->n_threads;
	if (point->n_threads != points->n_threads)
		return ep_fail_at(err, -EINVAL, place, "%zu threads, the lines above have %zu",
			point->n_threads, points->n_threads);
	rc = walk->n_files ? 0 : take_name(walk, point, place, err);
	if (rc)
		return rc;
	return append_point(points, point) ? ep_fail(err, -ENOMEM, "out of memory") : 0;
}

enum { max_fields = 4096 };

/* Splits a line into numbers, which are separated by blanks. */
static int split_fields(
	char *line, double *fields, size_t *out_n, struct ep_place place, struct ep_error *err)
{
	size_t n = 0;
	char *rest = NULL, *end;

	for (char *word = strtok_r(line, " \t\r", &rest); word;
		word = strtok_r(NULL, " \t\r", &rest)) {
		if (n == max_fields)
			return ep_fail_at(err, -EINVAL, place, "more than %d numbers", max_fields);
		fields[n++] = strtod(word, &end);
		if (*end || !isfinite(fields[n - 1]))
			return ep_fail_at(
				err, -EINVAL, place, "\"%s\" is not a finite number", word);
	}
	*out_n = n;
	return 0;
}

struct file_state {
	struct native_state kind;
	struct native_row row;
	struct native_points points;
	struct ep_place place;
	double *fields; /* (max_fields) numbers of the current line */
};

static int take_line(
	struct native_walk *walk, struct file_state *file, char *line, struct ep_error *err)
{
	struct native_point point = { 0 };
	const char *fault = "";
	int rc;

	if (*line == '#') {
		/* a title may be above a line of column names, "#N RawEvtCnt ...", which is no title */
		if (strncmp(line, "#N ", 3))
			file->row.title = line + 1;
		if (walk->kind->take_title)
			walk->kind->take_title(&file->kind, line + 1);
		return 0;
	}
	rc = split_fields(line, file->fields, &file->row.n_fields, file->place, err);
	if (rc || !file->row.n_fields)
		return rc;
	file->row.fields = file->fields;
	rc = walk->kind->take_row(&file->kind, &file->row, &point, &fault);
	file->row.row++;
	if (rc < 0)
		return ep_fail_at(err, rc, file->place, "%s", fault);
	return rc ? take_point(walk, &file->points, &point, file->place, err) : 0;
}

static int add_event(
	struct native_walk *walk, const struct native_points *points, const char *event)
{
	EP_AUTOFREE double *row = malloc(points->n * sizeof(*row));
	int rc = row ? 0 : -ENOMEM;

	for (size_t t = 0; !rc && t < points->n_threads; t++) {
		for (size_t p = 0; p < points->n; p++)
			row[p] = points->values[p * points->n_threads + t];
		rc = ep_events_builder_add(&walk->table, event, walk->rep, (unsigned)t, row);
	}
	return rc;
}

static int take_text(
	struct native_walk *walk, struct file_state *file, char *text, struct ep_error *err)
{
	int rc = 0;

	while (!rc && *text) {
		char *end = strchrnul(text, '\n'), *next = *end ? end + 1 : end;

		*end = '\0';
		file->place.line++;
		rc = take_line(walk, file, text, err);
		text = next;
	}
	return rc;
}

static int take_file(
	struct native_walk *walk, const char *path, const char *event, struct ep_error *err)
{
	EP_AUTOFREE char *text = NULL;
	EP_AUTOFREE double *fields = malloc(max_fields * sizeof(*fields));
	struct file_state file = {
		.row = { .title = "" }, .place = { .file = path }, .fields = fields
	};
	__attribute__((cleanup(finish_points))) struct native_points points = { 0 };
	size_t size;
	int rc = fields ? ep_file_read(path, &text, &size, err) : -ENOMEM;

	if (rc)
		return rc;
	rc = take_text(walk, &file, text, err);
	points = file.points;
	if (rc)
		return rc;
	if (!points.n) {
		walk->n_empty++;
		return 0;
	}
	if (walk->n_files && points.n != walk->n_points)
		return ep_fail_at(err, -EINVAL, (struct ep_place){ path, 0, 0 },
			"%u points, the first file has %zu", points.n, walk->n_points);
	walk->n_points = points.n;
	if (!walk->n_files++)
		walk->table.events->n_points = points.n;
	return add_event(walk, &points, event) ? ep_fail(err, -ENOMEM, "out of memory") : 0;
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t n = strlen(name), n_suffix = strlen(suffix);

	return n > n_suffix && !strcmp(name + n - n_suffix, suffix);
}

static int take_entry(
	struct native_walk *walk, const char *folder, const char *name, struct ep_error *err)
{
	char path[PATH_MAX], event[NAME_MAX + 1];

	if (!has_suffix(name, walk->kind->suffix))
		return 0;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	snprintf(event, sizeof(event), "%.*s", (int)(strlen(name) - strlen(walk->kind->suffix)),
		name);
	return take_file(walk, path, event, err);
}

/* Reads the files of one folder; is_top: also those of the folders in it, each of which is one repetition. */
static int take_folder(
	struct native_walk *walk, const char *folder, bool is_top, struct ep_error *err)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, NULL, versionsort), rc = 0;

	if (n < 0)
		return ep_fail_at(err, -errno, (struct ep_place){ folder, 0, 0 }, "cannot read: %s",
			strerror(errno));
	for (int i = 0; i < n; i++) {
		const struct dirent *entry = entries[i];
		char path[PATH_MAX];

		if (!rc)
			rc = take_entry(walk, folder, entry->d_name, err);
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (!rc && is_top && entry->d_type == DT_DIR && entry->d_name[0] != '.') {
			size_t n_before = walk->n_files;

			rc = take_folder(walk, path, false, err);
			walk->rep += walk->n_files > n_before;
		}
		free(entries[i]);
	}
	free(entries);
	return rc;
}

/* Removes the points of half precision at which no event counts anything: CAT prints zeros for kernels that the CPU
 * cannot run. */
static int drop_dead_points(struct ep_set *set, struct ep_error *err)
{
	const struct ep_events *events = &set->events;
	EP_AUTOFREE bool *keep = calloc(events->n_points + 1, sizeof(*keep));
	size_t n_alive = 0;

	if (!keep)
		return ep_fail(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < events->n_rows * events->n_points; i++)
		if (events->values[i] != 0)
			keep[i % events->n_points] = true;
	for (size_t p = 0; p < events->n_points; p++) {
		keep[p] |= strncmp(set->basis.rows.items[p], "K_H_", 4) != 0;
		n_alive += keep[p];
	}
	return n_alive < events->n_points ? ep_set_keep_points(set, keep, err) : 0;
}

/* Reads the basis from a file that was given, or takes the built-in one; if there is neither (NULL), the
 * basis made from the files stays. */
static int read_basis(struct ep_set *set, const struct native_kind *kind,
	const struct ep_builtin_set *builtin, const char *given, struct ep_error *err)
{
	if (!given && !builtin)
		return 0;
	ep_labelled_finish(&set->basis);
	return given ? ep_labelled_read(&set->basis, given, "point", err)
		     : ep_labelled_parse(&set->basis, kind->name, builtin->basis, "point", err);
}

static int read_expectations(struct ep_set *set, const struct native_walk *walk,
	const struct ep_set_paths *given, struct ep_error *err)
{
	const struct native_kind *kind = walk->kind;
	const struct ep_builtin_set *builtin =
		kind->builtin ? ep_builtin_set_find(kind->builtin) : NULL;
	const char *signatures = builtin ? builtin->signatures : kind->signatures;
	const char *params = builtin ? builtin->params : kind->params;
	int rc;

	if ((!builtin && !kind->basis_columns && !given->basis) ||
		(!signatures && !given->signatures))
		return ep_fail(err, -ENOTSUP,
			"%s files carry no expectation of their own: give --basis and --signatures",
			kind->suffix);
	rc = read_basis(set, kind, builtin, given->basis, err);
	if (!rc)
		rc = given->signatures
			     ? ep_labelled_read(&set->signatures, given->signatures, "metric", err)
			     : ep_labelled_parse(
				       &set->signatures, kind->name, signatures, "metric", err);
	if (!rc)
		rc = ep_set_match_signatures(set, err);
	set->params = ep_params_default;
	if (!rc && given->params)
		return ep_params_read(&set->params, given->params, err);
	return rc || !params ? rc : ep_params_parse(&set->params, kind->name, params, err);
}

static int make_set(struct ep_set *set, struct native_walk *walk, const struct ep_set_paths *given,
	struct ep_error *err)
{
	int rc;

	set->name = strdup(walk->kind->name);
	set->path = strdup(given->folder);
	if (!set->name || !set->path)
		return ep_fail(err, -ENOMEM, "out of memory");
	rc = read_expectations(set, walk, given, err);
	if (!rc)
		rc = ep_events_builder_settle(&walk->table, (const char *const *)walk->points.texts,
			&set->basis.rows, given->folder, err);
	return rc ? rc : drop_dead_points(set, err);
}

int ep_native_read(struct ep_set *set, const struct ep_set_paths *given, size_t kind,
	size_t *out_n_empty, struct ep_error *err)
{
	__attribute__((cleanup(close_walk))) struct native_walk walk = {
		.kind = &native_kinds[kind], .basis = &set->basis
	};
	int rc = 0;

	*set = (struct ep_set){ 0 };
	if (walk.kind->basis_columns)
		rc = ep_labelled_begin(&set->basis, walk.kind->name, walk.kind->basis_columns, err);
	if (rc)
		return rc;
	/* the first file will tell the number of points */
	ep_events_builder_init(&walk.table, &set->events, 0);
	rc = take_folder(&walk, given->folder, true, err);
	if (!rc) {
		*out_n_empty = walk.n_empty;
		rc = walk.n_files ? make_set(set, &walk, given, err) : -ENOENT;
	}
	if (rc)
		ep_set_finish(set);
	return rc;
}
