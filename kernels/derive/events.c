// SPDX-License-Identifier: BSD-3-Clause
/* Reads measurement tables. Each line belongs to an event, a repetition and a thread, and has values at P points. */
#include "kernels/derive/events.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/containers/array.h"
#include "common/file.h"
#include "kernels/derive/csv.h"

struct events_reader {
	struct ep_csv csv;
	struct ep_events_builder builder;
	unsigned *column; /* (P) index of each field's point; NULL: fields have the points' order */
	unsigned last_event;
};

static void close_reader(struct events_reader *reader)
{
	ep_events_builder_finish(&reader->builder);
	free(reader->column);
}

static int read_point(struct ep_csv *csv, struct ep_labels *seen, struct ep_error *err)
{
	const char *name = ep_csv_name(csv);
	size_t idx;
	int is_new;

	if (ep_labels_add(seen, name, &idx, &is_new))
		return ep_fail(err, -ENOMEM, "out of memory");
	return is_new ? 0 : ep_csv_fail(csv, err, "point \"%s\" comes twice", name);
}

/* Finds the point of each of n names, which must all be different. */
static int match_points(const char *const *names, size_t n, const struct ep_labels *points,
	unsigned *column, struct ep_place place, struct ep_error *err)
{
	EP_AUTOFREE bool *is_there = calloc(points->n + 1, sizeof(*is_there));

	if (!is_there)
		return ep_fail(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < n; i++) {
		long known = ep_labels_find(points, names[i]);

		if (known < 0)
			return ep_fail_at(err, -EINVAL, place,
				"unknown point \"%s\": the basis has no such row", names[i]);
		column[i] = (unsigned)known;
		is_there[known] = true;
	}
	for (size_t i = 0; i < points->n; i++)
		if (!is_there[i])
			return ep_fail_at(err, -EINVAL, place,
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

/* Finds the point of each name, (n); *out_column is NULL if the names are in the order of the points. */
static int find_columns(const char *const *names, size_t n, const struct ep_labels *points,
	unsigned **out_column, struct ep_place place, struct ep_error *err)
{
	EP_AUTOFREE unsigned *column = calloc(n + 1, sizeof(*column));
	int rc = column ? match_points(names, n, points, column, place, err)
			: ep_fail(err, -ENOMEM, "out of memory");

	if (rc)
		return rc;
	*out_column = NULL;
	if (!is_identity(column, n)) {
		*out_column = column;
		column = NULL;
	}
	return 0;
}

static int read_points(
	struct events_reader *reader, const struct ep_labels *points, struct ep_error *err)
{
	__attribute__((cleanup(ep_labels_finish))) struct ep_labels seen = { 0 };
	struct ep_csv *csv = &reader->csv;
	int rc = 0;

	while (!rc && csv->field)
		rc = read_point(csv, &seen, err);
	if (!rc && points)
		rc = find_columns(seen.items, seen.n, points, &reader->column,
			(struct ep_place){ csv->path, csv->line_no, 0 }, err);
	if (rc)
		return rc;
	if (!seen.n)
		return ep_csv_fail(csv, err, "the header names no points");
	reader->builder.events->n_points = seen.n;
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
	struct ep_labels *names = &reader->builder.events->names;
	const char *name = ep_csv_name(&reader->csv);
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
	rc = read_index(&reader->csv, "repetition", &key->rep, err);
	return rc ? rc : read_index(&reader->csv, "thread", &key->thread, err);
}

/* Adds a row. Returns the row's key, and sets *out_values to the place of its values. Returns NULL if memory is
 * lacking. */
static struct ep_events_key *next_row(struct ep_events_builder *builder, double **out_values)
{
	struct ep_events *events = builder->events;
	uint32_t n = (uint32_t)events->n_rows;

	if (ep_array_reserve((void **)&events->values, n, &builder->value_capacity,
		    events->n_points * sizeof(double)) ||
		EP_ARRAY_RESERVE(builder->keys, n, builder->key_capacity))
		return NULL;
	*out_values = events->values + events->n_rows * events->n_points;
	builder->keys[n] = (struct ep_events_key){ .row = n };
	return &builder->keys[n];
}

static int read_row(struct events_reader *reader, struct ep_error *err)
{
	struct ep_events *events = reader->builder.events;
	double *values;
	struct ep_events_key *key = next_row(&reader->builder, &values);
	int rc = key ? read_key(reader, key, err) : ep_fail(err, -ENOMEM, "out of memory");

	if (!rc)
		rc = ep_csv_numbers(&reader->csv, events->n_points, reader->column, values, err);
	events->n_rows += !rc;
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

/* Sorts the rows of values into the order of keys. */
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

static int fail_doubled(const struct ep_events *events, const struct ep_events_key *key,
	const struct ep_events_key *before, const char *path, struct ep_error *err)
{
	char first[40] = "";

	if (before->line)
		snprintf(first, sizeof(first), ", first in line %u", before->line);
	return ep_fail_at(err, -EINVAL, (struct ep_place){ path, key->line, 0 },
		"event \"%s\", repetition %u, thread %u comes twice%s",
		events->names.items[key->event], key->rep, key->thread, first);
}

static int check_distinct(const struct ep_events *events, const struct ep_events_key *keys,
	const char *path, struct ep_error *err)
{
	for (size_t i = 1; i < events->n_rows; i++)
		if (!compare_keys(&keys[i - 1], &keys[i]))
			return fail_doubled(events, &keys[i], &keys[i - 1], path, err);
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

/* Computes medians over threads: rows (n_threads, P) -> out (P). out may be the first of the rows, or lie
 * before it. */
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

/* Merges rows in place into one for each event and repetition, and sets each event's first row. */
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

/* Sorts rows, takes medians over threads and fills first_row. keys (n_rows) is sorted in place. */
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
	if (!reader->builder.events->n_rows)
		return ep_csv_fail(&reader->csv, err, "there is a header but no event");
	return settle(reader->builder.events, reader->builder.keys, reader->csv.path, err);
}

int ep_events_parse(struct ep_events *events, const char *path, char *text,
	const struct ep_labels *points, struct ep_error *err)
{
	__attribute__((cleanup(close_reader))) struct events_reader reader = { 0 };

	/* the header will tell the number of points */
	ep_events_builder_init(&reader.builder, events, 0);
	events->text = text;
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

void ep_events_builder_init(
	struct ep_events_builder *builder, struct ep_events *events, size_t n_points)
{
	*events = (struct ep_events){ .n_points = n_points };
	*builder = (struct ep_events_builder){ .events = events };
}

int ep_events_builder_add(struct ep_events_builder *builder, const char *event, unsigned rep,
	unsigned thread, const double *values)
{
	struct ep_events *events = builder->events;
	double *to;
	struct ep_events_key *key = next_row(builder, &to);
	uint32_t name_idx;
	size_t idx;
	int is_new;

	if (!key || ep_names_add(&events->added, event, &name_idx) ||
		ep_labels_add(&events->names, events->added.texts[name_idx], &idx, &is_new))
		return -ENOMEM;
	key->event = (unsigned)idx;
	key->rep = rep;
	key->thread = thread;
	memcpy(to, values, events->n_points * sizeof(*to));
	events->n_rows++;
	return 0;
}

static int permute_columns(struct ep_events *events, const unsigned *column)
{
	EP_AUTOFREE double *given = malloc((events->n_points + 1) * sizeof(*given));

	if (!given)
		return -ENOMEM;
	for (size_t i = 0; i < events->n_rows; i++) {
		double *row = events->values + i * events->n_points;

		memcpy(given, row, events->n_points * sizeof(*given));
		for (size_t p = 0; p < events->n_points; p++)
			row[column[p]] = given[p];
	}
	return 0;
}

int ep_events_builder_settle(struct ep_events_builder *builder, const char *const *names,
	const struct ep_labels *points, const char *path, struct ep_error *err)
{
	struct ep_events *events = builder->events;
	EP_AUTOFREE unsigned *column = NULL;
	int rc = find_columns(
		names, events->n_points, points, &column, (struct ep_place){ path, 0, 0 }, err);

	if (rc)
		return rc;
	if (column && permute_columns(events, column))
		return ep_fail(err, -ENOMEM, "out of memory");
	return settle(events, builder->keys, path, err);
}

void ep_events_builder_finish(struct ep_events_builder *builder)
{
	free(builder->keys);
	*builder = (struct ep_events_builder){ 0 };
}

void ep_events_finish(struct ep_events *events)
{
	ep_labels_finish(&events->names);
	ep_names_finish(&events->added);
	free(events->text);
	free(events->values);
	free(events->first_row);
	*events = (struct ep_events){ 0 };
}
