// SPDX-License-Identifier: BSD-3-Clause
/* Reads and writes CSV tables of counts. Any thread may call these functions; signal handlers must not. */
#include "common/table.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "common/foreign_text.h"

struct table_reader {
	const char *name, *at, *end;
	unsigned line;
	struct ep_error *err;
};

static struct ep_place place_of(const struct table_reader *r, unsigned column)
{
	return (struct ep_place){ .file = r->name, .line = r->line, .column = column };
}

static size_t line_length(const struct table_reader *r)
{
	const char *newline = memchr(r->at, '\n', r->end - r->at);

	return (newline ? newline : r->end) - r->at;
}

static size_t trimmed(const char *text, size_t length)
{
	while (length && strchr(" \t\r", text[length - 1]))
		length--;
	return length;
}

static size_t count_cells(const char *text, size_t length)
{
	size_t n = 1;

	for (size_t i = 0; i < length; i++)
		n += text[i] == ',';
	return n;
}

static char *copy_name(const char *text, size_t length)
{
	while (length && (*text == ' ' || *text == '\t')) {
		text++;
		length--;
	}
	length = trimmed(text, length);
	if (length > 1 && text[0] == '"' && text[length - 1] == '"')
		return strndup(text + 1, length - 2);
	return strndup(text, length);
}

static int check_name(const struct table_reader *r, struct ep_table *t, size_t c)
{
	if (!t->names[c])
		return ep_fail_at(r->err, -ENOMEM, place_of(r, 0), "out of memory");
	ep_foreign_text_clean(t->names[c], strlen(t->names[c]), "");
	if (!t->names[c][0])
		return ep_fail_at(r->err, -EINVAL, place_of(r, c + 1),
			"column %zu has no event name; name every column of the header", c + 1);
	for (size_t i = 0; i < c; i++)
		if (!strcmp(t->names[i], t->names[c]))
			return ep_fail_at(r->err, -EINVAL, place_of(r, c + 1),
				"event \"%s\" stands in the header twice", t->names[c]);
	return 0;
}

static int read_header(struct table_reader *r, struct ep_table *t)
{
	size_t length = line_length(r), n_columns;
	const char *at = r->at, *stop = at + length;
	int rc = 0;

	if (!trimmed(at, length))
		return ep_fail_at(r->err, -EINVAL, place_of(r, 0),
			"no header; the first line must name the events");
	n_columns = count_cells(at, length);
	if (n_columns > 4096)
		return ep_fail_at(r->err, -EINVAL, place_of(r, 0),
			"%zu columns; at most 4096 events are read", n_columns);
	t->names = calloc(n_columns, sizeof(*t->names));
	if (!t->names)
		return ep_fail_at(r->err, -ENOMEM, place_of(r, 0), "out of memory");
	t->n_columns = n_columns;
	for (size_t c = 0; c < n_columns && !rc; c++) {
		const char *comma = memchr(at, ',', stop - at);
		const char *cell_end = comma ? comma : stop;
		t->names[c] = copy_name(at, cell_end - at);
		at = cell_end + 1;
		rc = check_name(r, t, c);
	}
	return rc;
}

static void next_line(struct table_reader *r)
{
	size_t length = line_length(r);

	r->at += length < (size_t)(r->end - r->at) ? length + 1 : length;
	r->line++;
}

/* Reads the number between at and cell_end. *out_measured is 0 for an empty cell. */
static int read_cell(const struct table_reader *r, const char *at, const char *cell_end,
	size_t column, double *out_value, unsigned char *out_measured)
{
	char *stop;
	size_t length;

	while (at < cell_end && (*at == ' ' || *at == '\t'))
		at++;
	length = trimmed(at, cell_end - at);
	*out_measured = length > 0;
	*out_value = 0;
	if (!length)
		return 0;
	/* strtod would also accept "inf", "nan" and hexadecimal numbers, which are no counts. */
	if (strspn(at, "+-.0123456789eE") >= length)
		*out_value = strtod(at, &stop);
	else
		stop = (char *)at;
	if (stop != at + length || !isfinite(*out_value))
		return ep_fail_at(r->err, -EINVAL, place_of(r, column + 1),
			"\"%.*s\" is not a number; leave the cell empty if it was not measured",
			length > 40 ? 40 : (int)length, at);
	return 0;
}

static int read_row(const struct table_reader *r, struct ep_table *t, size_t row)
{
	size_t length = line_length(r), n_cells = count_cells(r->at, length);
	const char *at = r->at, *stop = at + length;
	int rc = 0;

	if (n_cells != t->n_columns)
		return ep_fail_at(r->err, -EINVAL, place_of(r, 0),
			"the row has %zu cells, the header has %zu", n_cells, t->n_columns);
	for (size_t c = 0; c < t->n_columns && !rc; c++) {
		const char *comma = memchr(at, ',', stop - at);
		const char *cell_end = comma ? comma : stop;
		rc = read_cell(r, at, cell_end, c, &t->values[row * t->n_columns + c],
			&t->measured[row * t->n_columns + c]);
		at = cell_end + 1;
	}
	return rc;
}

static bool at_last_line(const struct table_reader *r, size_t n_columns)
{
	/* In a table of one column an empty line is a row. In others, blank lines at the end are no rows. */
	if (r->at >= r->end)
		return true;
	return n_columns > 1 && strspn(r->at, " \t\r\n") >= (size_t)(r->end - r->at);
}

static int grow_rows(struct ep_table *t, size_t *capacity)
{
	size_t bigger = *capacity ? *capacity * 2 : 256, n_cells;
	double *values;
	unsigned char *measured;

	if (t->n_rows < *capacity)
		return 0;
	n_cells = bigger * t->n_columns;
	values = realloc(t->values, n_cells * sizeof(*values));
	if (values)
		t->values = values;
	measured = realloc(t->measured, n_cells);
	if (measured)
		t->measured = measured;
	if (!values || !measured)
		return -ENOMEM;
	*capacity = bigger;
	return 0;
}

int ep_table_parse(const char *name, const char *text, size_t size_bytes,
	struct ep_table *out_table, struct ep_error *err)
{
	struct table_reader r = { name, text, text + size_bytes, 1, err };
	EP_AUTOTABLE struct ep_table t = { 0 };
	size_t capacity = 0;
	int rc = read_header(&r, &t);

	if (rc)
		return rc;
	for (next_line(&r); !at_last_line(&r, t.n_columns); next_line(&r)) {
		if (grow_rows(&t, &capacity))
			return ep_fail_at(err, -ENOMEM, place_of(&r, 0), "out of memory");
		rc = read_row(&r, &t, t.n_rows);
		if (rc)
			return rc;
		t.n_rows++;
	}
	if (!t.n_rows)
		return ep_fail_at(err, -EINVAL, (struct ep_place){ .file = name },
			"a header and no row; a table needs at least one slice");
	*out_table = t;
	t = (struct ep_table){ 0 };
	return 0;
}

int ep_table_read(const char *path, struct ep_table *out_table, struct ep_error *err)
{
	EP_AUTOFREE char *text = NULL;
	size_t size_bytes;
	int rc = ep_file_read(path, &text, &size_bytes, err);

	if (rc)
		return rc;
	if (strlen(text) != size_bytes)
		return ep_fail_at(err, -EINVAL, (struct ep_place){ .file = path },
			"not a text table, since it holds bytes that are 0; a trace is read by 'evreport FILE'");
	return ep_table_parse(path, text, size_bytes, out_table, err);
}

int ep_table_init(struct ep_table *out_table, size_t n_rows, size_t n_columns, char *const *names)
{
	EP_AUTOTABLE struct ep_table t = { .n_rows = n_rows, .n_columns = n_columns };

	t.names = calloc(n_columns, sizeof(*t.names));
	t.values = calloc(n_rows * n_columns, sizeof(*t.values));
	t.measured = calloc(n_rows * n_columns, 1);
	if (!t.names || !t.values || !t.measured)
		return -ENOMEM;
	for (size_t c = 0; c < n_columns; c++) {
		t.names[c] = strdup(names[c]);
		if (!t.names[c])
			return -ENOMEM;
	}
	*out_table = t;
	t = (struct ep_table){ 0 };
	return 0;
}

void ep_table_finish(struct ep_table *table)
{
	for (size_t c = 0; table->names && c < table->n_columns; c++)
		free(table->names[c]);
	free(table->names);
	free(table->values);
	free(table->measured);
	*table = (struct ep_table){ 0 };
}

int ep_table_column(const struct ep_table *table, const char *name)
{
	for (size_t c = 0; c < table->n_columns; c++)
		if (!strcmp(table->names[c], name))
			return (int)c;
	return -1;
}

void ep_table_put_text(FILE *out, const char *text)
{
	if (!text)
		return;
	if (!strpbrk(text, ",\"\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void print_table(gzFile out, const struct ep_table *t, int n_digits)
{
	for (size_t c = 0; c < t->n_columns; c++) {
		gzputs(out, c ? "," : "");
		gzputs(out, t->names[c]);
	}
	gzputs(out, "\n");
	for (size_t i = 0; i < t->n_rows * t->n_columns; i++) {
		if (i % t->n_columns)
			gzputs(out, ",");
		if (t->measured[i])
			gzprintf(out, "%.*g", n_digits, t->values[i]);
		if (i % t->n_columns == t->n_columns - 1)
			gzputs(out, "\n");
	}
}

int ep_table_write(
	const char *path, const struct ep_table *table, int n_digits, struct ep_error *err)
{
	size_t length = strlen(path);
	bool packed = length > 3 && !strcmp(path + length - 3, ".gz");
	const char *mode = packed ? "wb6" : "wbT"; /* T: without compression */
	gzFile out = strcmp(path, "-") ? gzopen(path, mode) : gzdopen(dup(1), mode);
	int zerr;

	if (!out)
		return ep_fail_at(err, errno ? -errno : -ENOMEM, (struct ep_place){ .file = path },
			"cannot write: %s", strerror(errno));
	print_table(out, table, n_digits);
	gzerror(out, &zerr);
	if (gzclose(out) != Z_OK || zerr < 0)
		return ep_fail_at(err, -EIO, (struct ep_place){ .file = path },
			"cannot write all of it (disk full?)");
	return 0;
}
