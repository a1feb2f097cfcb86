// SPDX-License-Identifier: BSD-3-Clause
/* Reads the CSV of GPU profilers, with quoted fields: a column for each counter, or a line for each counter. There are
 * E counters, P points and R launches. */
#include "kernels/native/gpu.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "common/cleanup.h"
#include "common/containers/array.h"
#include "common/file.h"
#include "kernels/derive/select.h"
#include "kernels/sets.h"

enum { max_columns = 1024 };

/* The fields of a line, cut in place: quotes are removed, and doubled quotes become single ones. */
struct line {
	char *fields[max_columns];
	size_t n;
};

/* The indexes of a table's columns; -1: the table does not have the column. */
struct layout {
	/* counter and value are in tables with a line for each counter only */
	int kernel, counter, value;
	bool is_counter[max_columns];
	size_t n_columns;
};

struct record {
	uint32_t event, point;
	double value;
};

struct gpu_table {
	struct ep_set *set;
	struct ep_place place;
	struct layout layout;
	struct ep_labels events, missing; /* missing: counters without a number in some launch */
	struct record *records;
	uint32_t n_records, capacity;
	size_t n_unknown; /* launches of other kernels */
};

/* ---- lines ---- */

static char *cut_field(char **at)
{
	char *from = *at, *to = *at, *field = *at;
	bool is_quoted = *from == '"';

	from += is_quoted;
	while (*from && (is_quoted || *from != ',')) {
		if (is_quoted && *from == '"' && from[1] != '"') {
			from++;
			break;
		}
		from += is_quoted && *from == '"';
		*to++ = *from++;
	}
	while (*from && *from != ',')
		from++;
	*at = *from ? from + 1 : NULL;
	*to = '\0';
	return field;
}

/* Cuts a line into fields. Returns false if there are more than max_columns. */
static bool cut_line(char *text, struct line *line)
{
	char *at = text;

	for (line->n = 0; at && line->n < max_columns;)
		line->fields[line->n++] = cut_field(&at);
	return !at;
}

/* Returns the next line of text, without its end; NULL: there is none. Notes ("==PROF==") that profilers write before
 * the table are lines, too; callers skip them. */
static char *next_line(char **text, unsigned *line_no)
{
	char *line = *text;

	if (!*line)
		return NULL;
	char *end = strchrnul(line, '\n');
	*text = *end ? end + 1 : end;
	if (end > line && end[-1] == '\r')
		end--;
	*end = '\0';
	(*line_no)++;
	return line;
}

/* ---- headers ---- */

static int find_column(const struct line *line, const char *const *names)
{
	for (size_t i = 0; i < line->n; i++)
		for (const char *const *name = names; *name; name++)
			if (!strcasecmp(line->fields[i], *name))
				return (int)i;
	return -1;
}

static bool is_description(const char *name)
{
	static const char *const names[] = { "Index", "KernelName", "gpu-id", "queue-id",
		"queue-index", "pid", "tid", "grd", "wgp", "lds", "scr", "vgpr", "arch_vgpr",
		"accum_vgpr", "sgpr", "wave_size", "sig", "obj", "fbar", "DispatchNs", "BeginNs",
		"EndNs", "CompleteNs", "DurationNs", "Kernel Name", "ID", "Process ID",
		"Process Name", "Host Name", "Context", "Stream", "Block Size", "Grid Size",
		"Device", "CC" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(names); i++)
		if (!strcasecmp(names[i], name))
			return true;
	return false;
}

static bool read_layout(const struct line *line, struct layout *layout)
{
	static const char *const kernel[] = { "KernelName", "Kernel_Name", "Kernel Name", NULL };
	static const char *const counter[] = { "Counter_Name", "Metric Name", NULL };
	static const char *const value[] = { "Counter_Value", "Metric Value", NULL };

	layout->kernel = find_column(line, kernel);
	layout->counter = find_column(line, counter);
	layout->value = find_column(line, value);
	layout->n_columns = line->n;
	for (size_t i = 0; i < line->n; i++)
		layout->is_counter[i] = layout->counter < 0 && !is_description(line->fields[i]);
	return layout->kernel >= 0 && (layout->counter < 0) == (layout->value < 0);
}

/* Reads the first bytes of a file, inflated if it is gzip, and ends them with a NUL. */
static bool read_start(const char *path, char *text, unsigned size)
{
	gzFile gz = gzopen(path, "rb");
	int n = gz ? gzread(gz, text, size - 1) : -1;

	if (gz)
		gzclose(gz);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

bool ep_gpu_is_table(const char *path)
{
	enum { start_bytes = 1 << 16 };
	EP_AUTOFREE char *text = malloc(start_bytes);
	struct layout layout;
	unsigned line_no = 0;
	struct line line;

	if (!text || !read_start(path, text, start_bytes))
		return false;
	for (char *at = text, *start; line_no < 100 && (start = next_line(&at, &line_no));) {
		if (*start == '#' || !*start)
			continue;
		if (!strncmp(start, "event,rep,thread", 16))
			return false;
		if (cut_line(start, &line) && read_layout(&line, &layout))
			return true;
	}
	return false;
}

/* ---- rows ---- */

/* Returns the point with the name of a kernel, with or without "K_". Kernels may be written as
 * "A_H_256(double*) [clone .kd]", or as "A_H_256.kd", which rocprof does without C++ names. */
static long find_point(const struct ep_set *set, const char *kernel)
{
	char name[128];

	snprintf(name, sizeof(name), "K_%.*s", (int)strcspn(kernel, "( [."), kernel);
	long point = ep_labels_find(&set->basis.rows, name + 2);
	return point >= 0 ? point : ep_labels_find(&set->basis.rows, name);
}

/* Parses a number, which may have thousands separators: "1,024". */
static int parse_value(
	struct gpu_table *table, char *field, double *out_value, struct ep_error *err)
{
	char *to = field, *end;

	for (const char *from = field; *from; from++)
		if (*from != ',')
			*to++ = *from;
	*to = '\0';
	*out_value = strtod(field, &end);
	if (end == field || *end || !isfinite(*out_value))
		return ep_fail_at(
			err, -EINVAL, table->place, "\"%s\" is not a finite number", field);
	return 0;
}

static int add_record(
	struct gpu_table *table, const char *event, long point, char *field, struct ep_error *err)
{
	size_t idx;
	int is_new;
	double value;

	/* ncu writes n/a for counters that this GPU does not have */
	if (!strcasecmp(field, "n/a"))
		return ep_labels_add(&table->missing, event, &idx, &is_new)
			       ? ep_fail(err, -ENOMEM, "out of memory")
			       : 0;
	int rc = parse_value(table, field, &value, err);

	if (rc)
		return rc;
	if (ep_labels_add(&table->events, event, &idx, &is_new) ||
		EP_ARRAY_RESERVE(table->records, table->n_records, table->capacity))
		return ep_fail(err, -ENOMEM, "out of memory");
	table->records[table->n_records++] =
		(struct record){ (uint32_t)idx, (uint32_t)point, value };
	return 0;
}

static int take_row(
	struct gpu_table *table, const struct line *line, char *const *header, struct ep_error *err)
{
	const struct layout *layout = &table->layout;
	long point;
	int rc = 0;

	if (line->n < layout->n_columns)
		return ep_fail_at(err, -EINVAL, table->place,
			"the line has %zu fields, the header has %zu", line->n, layout->n_columns);
	point = find_point(table->set, line->fields[layout->kernel]);
	if (point < 0) { /* another kernel, or the line of units below ncu's header */
		table->n_unknown++;
		return 0;
	}
	if (layout->counter >= 0)
		return add_record(table, line->fields[layout->counter], point,
			line->fields[layout->value], err);
	for (size_t i = 0; i < layout->n_columns && !rc; i++)
		if (layout->is_counter[i])
			rc = add_record(table, header[i], point, line->fields[i], err);
	return rc;
}

static int take_rows(struct gpu_table *table, char *text, struct ep_error *err)
{
	struct line header = { .n = 0 }, line;
	bool has_header = false;
	int rc = 0;

	for (char *start; !rc && (start = next_line(&text, &table->place.line));) {
		struct line *to = has_header ? &line : &header;

		if (!*start || (!has_header && *start == '#'))
			continue;
		if (!cut_line(start, to))
			return ep_fail_at(err, -EINVAL, table->place,
				"more than %d columns; give fewer counters", max_columns);
		if (has_header)
			rc = take_row(table, &line, header.fields, err);
		else
			has_header = read_layout(&header, &table->layout);
	}
	if (!rc && !table->n_records && table->missing.n)
		rc = ep_fail_at(err, -EINVAL, (struct ep_place){ table->place.file, 0, 0 },
			"no kernel has a number: the profiler wrote n/a for every counter");
	else if (!rc && !table->n_records)
		rc = ep_fail_at(err, -EINVAL, (struct ep_place){ table->place.file, 0, 0 },
			"no kernel is named like a point of the basis (%s, ...); %zu others",
			table->set->basis.rows.items[0], table->n_unknown);
	return rc;
}

/* ---- the data set ---- */

/* The launches as a grid: counts (E, P) is the number of launches, values (E, R, P) their values. */
struct grid {
	size_t n_events, n_points, n_reps;
	size_t *counts;
	double *values;
	bool *keep; /* (P) points to keep */
};

static void finish_grid(struct grid *grid)
{
	free(grid->counts);
	free(grid->values);
	free(grid->keep);
}

/* Keeps the points that have launches for every counter, and as many repetitions as all of these have. */
static int plan_grid(struct grid *grid, const struct gpu_table *table)
{
	grid->n_events = table->events.n;
	grid->n_points = table->set->basis.rows.n;
	grid->counts = calloc(grid->n_events * grid->n_points, sizeof(*grid->counts));
	grid->keep = calloc(grid->n_points, sizeof(*grid->keep));
	if (!grid->counts || !grid->keep)
		return -ENOMEM;
	for (size_t i = 0; i < table->n_records; i++)
		grid->counts[table->records[i].event * grid->n_points + table->records[i].point]++;
	grid->n_reps = SIZE_MAX;
	for (size_t p = 0; p < grid->n_points; p++) {
		size_t least = SIZE_MAX;

		for (size_t e = 0; e < grid->n_events; e++)
			if (grid->counts[e * grid->n_points + p] < least)
				least = grid->counts[e * grid->n_points + p];
		grid->keep[p] = least > 0;
		if (least && least < grid->n_reps)
			grid->n_reps = least;
	}
	return grid->n_reps == SIZE_MAX ? -ENODATA : 0;
}

static int fill_grid(struct grid *grid, const struct gpu_table *table)
{
	size_t n_points = grid->n_points;

	grid->values = calloc(grid->n_events * grid->n_reps * n_points, sizeof(*grid->values));
	if (!grid->values)
		return -ENOMEM;
	memset(grid->counts, 0, grid->n_events * n_points * sizeof(*grid->counts));
	for (size_t i = 0; i < table->n_records; i++) {
		const struct record *r = &table->records[i];
		size_t rep = grid->counts[r->event * n_points + r->point]++;

		if (rep < grid->n_reps)
			grid->values[(r->event * grid->n_reps + rep) * n_points + r->point] =
				r->value;
	}
	return 0;
}

static int add_rows(
	struct ep_events_builder *builder, const struct grid *grid, const struct gpu_table *table)
{
	for (size_t i = 0; i < grid->n_events * grid->n_reps; i++)
		if (ep_events_builder_add(builder, table->events.items[i / grid->n_reps],
			    (unsigned)(i % grid->n_reps), 0, grid->values + i * grid->n_points))
			return -ENOMEM;
	return 0;
}

static int make_events(struct gpu_table *table, struct ep_error *err)
{
	__attribute__((cleanup(finish_grid))) struct grid grid = { 0 };
	__attribute__((cleanup(ep_events_builder_finish))) struct ep_events_builder builder = { 0 };
	struct ep_set *set = table->set;
	const struct ep_labels *points = &set->basis.rows;
	int rc = plan_grid(&grid, table);

	ep_events_builder_init(&builder, &set->events, points->n);
	if (rc == -ENODATA)
		return ep_fail_at(err, -EINVAL, (struct ep_place){ table->place.file, 0, 0 },
			"no point was launched for every counter");
	if (!rc)
		rc = fill_grid(&grid, table);
	if (!rc)
		rc = add_rows(&builder, &grid, table);
	if (rc)
		return ep_fail(err, rc, "out of memory");
	rc = ep_events_builder_settle(&builder, points->items, points, table->place.file, err);
	return rc ? rc : ep_set_keep_points(set, grid.keep, err);
}

static int read_expectations(
	struct ep_set *set, const struct ep_set_paths *given, struct ep_error *err)
{
	const struct ep_builtin_set *builtin = ep_builtin_set_find("gpu");
	int rc = given->basis ? ep_labelled_read(&set->basis, given->basis, "point", err)
			      : ep_labelled_parse(&set->basis, "gpu", builtin->basis, "point", err);

	if (!rc)
		rc = given->signatures
			     ? ep_labelled_read(&set->signatures, given->signatures, "metric", err)
			     : ep_labelled_parse(
				       &set->signatures, "gpu", builtin->signatures, "metric", err);
	if (!rc)
		rc = ep_set_match_signatures(set, err);
	if (!rc)
		rc = ep_params_parse(&set->params, "gpu", builtin->params, err);
	return rc || !given->params ? rc : ep_params_read(&set->params, given->params, err);
}

static void finish_table(struct gpu_table *table)
{
	ep_labels_finish(&table->events);
	ep_labels_finish(&table->missing);
	free(table->records);
}

static char *name_missing(const struct ep_labels *missing)
{
	char *text = NULL;
	size_t size;
	FILE *out = missing->n ? open_memstream(&text, &size) : NULL;

	if (!out)
		return NULL;
	for (size_t i = 0; i < missing->n; i++)
		fprintf(out, "%s%s", i ? ", " : "", missing->items[i]);
	fclose(out);
	return text;
}

static int read_set(struct ep_set *set, const struct ep_set_paths *given, char **out_missing,
	struct ep_error *err)
{
	__attribute__((cleanup(finish_table))) struct gpu_table table = {
		.set = set,
		.place = { .file = given->events },
	};
	EP_AUTOFREE char *text = NULL;
	size_t size;
	int rc = read_expectations(set, given, err);

	if (!rc)
		rc = ep_file_read(given->events, &text, &size, err);
	if (!rc)
		rc = take_rows(&table, text, err);
	*out_missing = name_missing(&table.missing);
	return rc ? rc : make_events(&table, err);
}

int ep_gpu_read(struct ep_set *set, const struct ep_set_paths *given, char **out_missing,
	struct ep_error *err)
{
	int rc;

	*out_missing = NULL;

	*set = (struct ep_set){
		.name = strdup("gpu"), .path = strdup(given->events), .params = ep_params_default
	};
	rc = set->name && set->path ? read_set(set, given, out_missing, err)
				    : ep_fail(err, -ENOMEM, "out of memory");
	if (rc)
		ep_set_finish(set);
	return rc;
}
