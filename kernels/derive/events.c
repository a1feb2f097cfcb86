// SPDX-License-Identifier: BSD-3-Clause
/* Reading of measurement tables. P points, lines of (event, rep, thread). */
#include "kernels/derive/events.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/containers/array.h"
#include "common/file.h"
#include "kernels/derive/csv.h"

struct events_reader {
	struct ep_csv csv;
	struct ep_events *events;
	struct ep_events_key *keys; /* (n_rows) */
	unsigned *column;           /* (P): field -> point; NULL for the order as it stands */
	uint32_t value_capacity, key_capacity; /* rows */
	unsigned last_event;
};

static void close_reader(struct events_reader *reader)
{
	free(reader->keys);
	free(reader->column);
}

static int read_point(struct events_reader *reader, struct ep_labels *seen,
	const struct ep_labels *points, struct ep_error *err)
{
	const char *name = ep_csv_field(&reader->csv);
	size_t idx;
	int is_new;

	if (ep_labels_add(seen, name, &idx, &is_new))
		return ep_fail(err, -ENOMEM, "out of memory");
	if (!is_new)
		return ep_csv_fail(&reader->csv, err, "point \"%s\" comes twice", name);
	if (!points)
		return 0;
	long known = ep_labels_find(points, name);
	if (known < 0)
		return ep_csv_fail(
			&reader->csv, err, "unknown point \"%s\": the basis has no such row", name);
	reader->column[idx] = (unsigned)known;
	return 0;
}

static int check_complete(struct events_reader *reader, const struct ep_labels *seen,
	const struct ep_labels *points, struct ep_error *err)
{
	for (size_t i = 0; points && i < points->n; i++)
		if (ep_labels_find(seen, points->items[i]) < 0)
			return ep_csv_fail(&reader->csv, err,
				"point \"%s\" of the basis is missing from this table",
				points->items[i]);
	return 0;
}

static bool is_identity(const unsigned *column, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (column[i] != i)
			return false;
	return true;
}

static int read_points(
	struct events_reader *reader, const struct ep_labels *points, struct ep_error *err)
{
	__attribute__((cleanup(ep_labels_finish))) struct ep_labels seen = { 0 };
	int rc = 0;

	if (points) {
		reader->column = calloc(points->n + 1, sizeof(*reader->column));
		if (!reader->column)
			return ep_fail(err, -ENOMEM, "out of memory");
	}
	while (!rc && reader->csv.field)
		rc = read_point(reader, &seen, points, err);
	if (!rc)
		rc = check_complete(reader, &seen, points, err);
	if (rc)
		return rc;
	if (!seen.n)
		return ep_csv_fail(&reader->csv, err, "the header names no points");
	reader->events->n_points = seen.n;
	if (points && is_identity(reader->column, seen.n)) {
		free(reader->column);
		reader->column = NULL;
	}
	return 0;
}

static int read_header(
	struct events_reader *reader, const struct ep_labels *points, struct ep_error *err)
{
	static const char *const corner[] = { "event", "rep", "thread" };

	if (!ep_csv_next_line(&reader->csv))
		return ep_fail_at(err, -EINVAL, (struct ep_place){ reader->csv.path, 0, 0 },
			"is empty, expected a header \"event,rep,thread,...\"");
	for (size_t i = 0; i < EP_ARRAY_SIZE(corner); i++) {
		const char *field = ep_csv_field(&reader->csv);

		if (!field || strcmp(field, corner[i]))
			return ep_csv_fail(&reader->csv, err,
				"the header must start with \"event,rep,thread\"");
	}
	return read_points(reader, points, err);
}

static int read_index(
	struct ep_csv *csv, const char *what, unsigned *out_index, struct ep_error *err)
{
	const char *field = ep_csv_field(csv);
	char *end;

	if (!field)
		return ep_csv_fail(csv, err, "the line ends before its %s", what);
	unsigned long value = strtoul(field, &end, 10);
	if (end == field || *end || *field == '-' || value > 1000000)
		return ep_csv_fail(csv, err, "%s is \"%s\", expected a number from 0", what, field);
	*out_index = (unsigned)value;
	return 0;
}

static int read_key(struct events_reader *reader, struct ep_events_key *key, struct ep_error *err)
{
	struct ep_labels *names = &reader->events->names;
	const char *name = ep_csv_field(&reader->csv);
	size_t idx = reader->last_event;
	int is_new, rc;

	if (!*name)
		return ep_csv_fail(&reader->csv, err, "the event has no name");
	if (!names->n || strcmp(names->items[idx], name)) {
		if (ep_labels_add(names, name, &idx, &is_new))
			return ep_fail(err, -ENOMEM, "out of memory");
	}
	reader->last_event = (unsigned)idx;
	key->event = (unsigned)idx;
	key->line = reader->csv.line_no;
	key->row = reader->events->n_rows;
	rc = read_index(&reader->csv, "repetition", &key->rep, err);
	return rc ? rc : read_index(&reader->csv, "thread", &key->thread, err);
}

static int read_row(struct events_reader *reader, struct ep_error *err)
{
	struct ep_events *events = reader->events;
	uint32_t n = (uint32_t)events->n_rows;
	int rc;

	if (ep_array_reserve((void **)&events->values, n, &reader->value_capacity,
		    events->n_points * sizeof(double)) ||
		EP_ARRAY_RESERVE(reader->keys, n, reader->key_capacity))
		return ep_fail(err, -ENOMEM, "out of memory");
	rc = read_key(reader, &reader->keys[events->n_rows], err);
	if (rc)
		return rc;
	double *row = events->values + events->n_rows * events->n_points;
	rc = ep_csv_numbers(&reader->csv, events->n_points, reader->column, row, err);
	if (!rc)
		events->n_rows++;
	return rc;
}

static int compare_keys(const void *left, const void *right)
{
	const struct ep_events_key *a = left, *b = right;

	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (a->rep != b->rep)
		return a->rep < b->rep ? -1 : 1;
	return (a->thread > b->thread) - (a->thread < b->thread);
}

static bool are_sorted(const struct ep_events_key *keys, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (compare_keys(&keys[i - 1], &keys[i]) > 0)
			return false;
	return true;
}

/* Brings the rows of values into the order of keys. */
static int permute_rows(struct ep_events *events, struct ep_events_key *keys)
{
	size_t row_bytes = events->n_points * sizeof(double);
	double *values = malloc(events->n_rows * row_bytes);

	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < events->n_rows; i++) {
		memcpy(values + i * events->n_points,
			events->values + keys[i].row * events->n_points, row_bytes);
		keys[i].row = i;
	}
	free(events->values);
	events->values = values;
	return 0;
}

static int check_distinct(const struct ep_events *events, const struct ep_events_key *keys,
	const char *path, struct ep_error *err)
{
	for (size_t i = 1; i < events->n_rows; i++)
		if (!compare_keys(&keys[i - 1], &keys[i]))
			return ep_fail_at(err, -EINVAL, (struct ep_place){ path, keys[i].line, 0 },
				"event \"%s\", repetition %u, thread %u comes twice, first in line %u",
				events->names.items[keys[i].event], keys[i].rep, keys[i].thread,
				keys[i - 1].line);
	return 0;
}

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static double take_median(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare_doubles);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* rows (n_threads, P) -> out (P); out may be the first of rows or lie before it. */
static void median_rows(
	const double *rows, size_t n_threads, size_t n_points, double *scratch, double *out)
{
	for (size_t p = 0; p < n_points; p++) {
		for (size_t t = 0; t < n_threads; t++)
			scratch[t] = rows[t * n_points + p];
		out[p] = take_median(scratch, n_threads);
	}
}

static size_t count_threads(const struct ep_events_key *keys, size_t first, size_t n_rows)
{
	size_t i = first + 1;

	while (i < n_rows && keys[i].event == keys[first].event && keys[i].rep == keys[first].rep)
		i++;
	return i - first;
}

/* One row per (event, rep), in place, and the events' first rows. */
static void reduce_threads(
	struct ep_events *events, const struct ep_events_key *keys, double *scratch)
{
	size_t n_points = events->n_points, n_out = 0, n_threads;

	for (size_t i = 0; i < events->n_rows; i += n_threads) {
		double *row = events->values + i * n_points,
		       *out = events->values + n_out * n_points;

		n_threads = count_threads(keys, i, events->n_rows);
		if (!i || keys[i].event != keys[i - 1].event)
			events->first_row[keys[i].event] = n_out;
		if (n_threads > 1)
			median_rows(row, n_threads, n_points, scratch, out);
		else if (out != row)
			memcpy(out, row, n_points * sizeof(*out));
		n_out++;
	}
	events->n_rows = n_out;
	events->first_row[events->names.n] = n_out;
}

/* Orders rows, takes medians over threads and fills first_row; keys is (n_rows) and is sorted in place. */
static int settle(struct ep_events *events, struct ep_events_key *keys, const char *path,
	struct ep_error *err)
{
	EP_AUTOFREE double *scratch = malloc((events->n_rows + 1) * sizeof(*scratch));
	int rc = 0;

	events->first_row = malloc((events->names.n + 1) * sizeof(*events->first_row));
	if (!events->first_row || !scratch)
		return ep_fail(err, -ENOMEM, "out of memory");
	if (!are_sorted(keys, events->n_rows)) {
		qsort(keys, events->n_rows, sizeof(*keys), compare_keys);
		rc = permute_rows(events, keys);
	}
	if (rc)
		return ep_fail(err, rc, "out of memory");
	rc = check_distinct(events, keys, path, err);
	if (!rc)
		reduce_threads(events, keys, scratch);
	return rc;
}

static int read_table(
	struct events_reader *reader, const struct ep_labels *points, struct ep_error *err)
{
	int rc = read_header(reader, points, err);

	while (!rc && ep_csv_next_line(&reader->csv))
		rc = read_row(reader, err);
	if (rc)
		return rc;
	if (!reader->events->n_rows)
		return ep_csv_fail(&reader->csv, err, "there is a header but no event");
	return settle(reader->events, reader->keys, reader->csv.path, err);
}

int ep_events_parse(struct ep_events *events, const char *path, char *text,
	const struct ep_labels *points, struct ep_error *err)
{
	__attribute__((cleanup(close_reader))) struct events_reader reader = { .events = events };

	*events = (struct ep_events){ .text = text };
	ep_csv_init(&reader.csv, path, text);
	int rc = read_table(&reader, points, err);
	if (rc)
		ep_events_finish(events);
	return rc;
}

int ep_events_read(struct ep_events *events, const char *path, const struct ep_labels *points,
	struct ep_error *err)
{
	char *text;
	size_t size;
	int rc = ep_file_read(path, &text, &size, err);

	if (rc)
		return rc;
	if (strlen(text) == size)
		return ep_events_parse(events, path, text, points, err);
	free(text);
	return ep_fail_at(
		err, -EINVAL, (struct ep_place){ path, 0, 0 }, "holds a NUL byte, expected text");
}

void ep_events_finish(struct ep_events *events)
{
	ep_labels_finish(&events->names);
	free(events->text);
	free(events->values);
	free(events->first_row);
	*events = (struct ep_events){ 0 };
}
