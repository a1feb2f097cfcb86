// SPDX-License-Identifier: BSD-3-Clause
/* Reads basis.csv and signatures.csv. */
#include "kernels/derive/labelled.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/containers/array.h"
#include "common/file.h"
#include "kernels/derive/csv.h"

static int add_name(
	struct ep_labels *names, struct ep_csv *csv, const char *what, struct ep_error *err)
{
	const char *name = ep_csv_name(csv);
	size_t idx;
	int is_new;

	if (!*name)
		return ep_csv_fail(csv, err, "%s %u has no name", what, csv->field_no);
	if (ep_labels_add(names, name, &idx, &is_new))
		return ep_fail(err, -ENOMEM, "out of memory");
	if (!is_new)
		return ep_csv_fail(csv, err, "%s \"%s\" comes twice", what, name);
	return 0;
}

static int read_header(
	struct ep_labelled *matrix, struct ep_csv *csv, const char *corner, struct ep_error *err)
{
	int rc = 0;

	if (!ep_csv_next_line(csv))
		return ep_fail_at(err, -EINVAL, (struct ep_place){ csv->path, 0, 0 },
			"is empty, expected a header \"%s,...\"", corner);
	const char *first = ep_csv_field(csv);
	if (strcmp(first, corner))
		return ep_csv_fail(
			csv, err, "the header starts with \"%s\", expected \"%s\"", first, corner);
	while (!rc && csv->field)
		rc = add_name(&matrix->columns, csv, "column", err);
	if (!rc && !matrix->columns.n)
		rc = ep_csv_fail(csv, err, "the header names no column");
	return rc;
}

static int reserve_row(struct ep_labelled *matrix)
{
	uint32_t n = (uint32_t)matrix->rows.n;

	return ep_array_reserve((void **)&matrix->values, n, &matrix->value_capacity,
		       matrix->columns.n * sizeof(*matrix->values)) ||
			       EP_ARRAY_RESERVE(matrix->line, n, matrix->line_capacity)
		       ? -ENOMEM
		       : 0;
}

static int read_row(
	struct ep_labelled *matrix, struct ep_csv *csv, const char *what, struct ep_error *err)
{
	size_t row = matrix->rows.n, n_columns = matrix->columns.n;
	int rc;

	if (reserve_row(matrix))
		return ep_fail(err, -ENOMEM, "out of memory");
	rc = add_name(&matrix->rows, csv, what, err);
	if (rc)
		return rc;
	matrix->line[row] = csv->line_no;
	return ep_csv_numbers(csv, n_columns, NULL, matrix->values + row * n_columns, err);
}

static int parse_text(struct ep_labelled *matrix, const char *corner, struct ep_error *err)
{
	struct ep_csv csv;
	int rc;

	ep_csv_init(&csv, matrix->path, matrix->text);
	rc = read_header(matrix, &csv, corner, err);
	while (!rc && ep_csv_next_line(&csv))
		rc = read_row(matrix, &csv, corner, err);
	if (!rc && !matrix->rows.n)
		rc = ep_csv_fail(&csv, err, "there is a header but no %s", corner);
	return rc;
}

/* Parses text, which the matrix takes over. */
static int adopt_text(struct ep_labelled *matrix, const char *path, char *text, const char *corner,
	struct ep_error *err)
{
	*matrix = (struct ep_labelled){ .path = strdup(path), .text = text };
	int rc = matrix->path ? parse_text(matrix, corner, err)
			      : ep_fail(err, -ENOMEM, "out of memory");

	if (rc)
		ep_labelled_finish(matrix);
	return rc;
}

int ep_labelled_read(
	struct ep_labelled *matrix, const char *path, const char *corner, struct ep_error *err)
{
	char *text;
	size_t size;
	int rc = ep_file_read(path, &text, &size, err);

	return rc ? rc : adopt_text(matrix, path, text, corner, err);
}

int ep_labelled_parse(struct ep_labelled *matrix, const char *path, const char *text,
	const char *corner, struct ep_error *err)
{
	char *copy = strdup(text);

	if (!copy)
		return ep_fail(err, -ENOMEM, "out of memory");
	return adopt_text(matrix, path, copy, corner, err);
}

static int add_label(struct ep_labels *labels, const char *name, const struct ep_labelled *matrix,
	struct ep_error *err)
{
	size_t idx;
	int is_new;

	if (ep_labels_add(labels, name, &idx, &is_new))
		return ep_fail(err, -ENOMEM, "out of memory");
	return is_new ? 0
		      : ep_fail_at(err, -EINVAL, (struct ep_place){ matrix->path, 0, 0 },
				"\"%s\" comes twice", name);
}

int ep_labelled_begin(
	struct ep_labelled *matrix, const char *path, const char *columns, struct ep_error *err)
{
	char *rest, *column;
	int rc = 0;

	*matrix = (struct ep_labelled){ .path = strdup(path), .text = strdup(columns) };
	if (!matrix->path || !matrix->text)
		rc = ep_fail(err, -ENOMEM, "out of memory");
	rest = matrix->text;
	while (!rc && (column = strsep(&rest, ",")))
		rc = add_label(&matrix->columns, column, matrix, err);
	if (rc)
		ep_labelled_finish(matrix);
	return rc;
}

int ep_labelled_add(
	struct ep_labelled *matrix, const char *row, const double *values, struct ep_error *err)
{
	size_t n = matrix->rows.n, n_columns = matrix->columns.n;
	uint32_t idx;
	int rc;

	if (reserve_row(matrix) || ep_names_add(&matrix->added, row, &idx))
		return ep_fail(err, -ENOMEM, "out of memory");
	rc = add_label(&matrix->rows, matrix->added.texts[idx], matrix, err);
	if (rc)
		return rc;
	matrix->line[n] = 0;
	memcpy(matrix->values + n * n_columns, values, n_columns * sizeof(*values));
	return 0;
}

void ep_labelled_finish(struct ep_labelled *matrix)
{
	ep_names_finish(&matrix->added);
	ep_labels_finish(&matrix->rows);
	ep_labels_finish(&matrix->columns);
	free(matrix->values);
	free(matrix->line);
	free(matrix->text);
	free(matrix->path);
	*matrix = (struct ep_labelled){ 0 };
}
