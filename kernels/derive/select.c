// SPDX-License-Identifier: BSD-3-Clause
/* Removes points, expectations and metrics from sets, which have P points, D dims (expectations) and M metrics. */
#include "kernels/derive/select.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

/* Keeps the marked names. Adding fewer names than there were needs no memory, and cannot fail. */
static void select_names(struct ep_labels *names, const bool *keep)
{
	size_t n = names->n, idx;
	int is_new, rc = 0;

	names->n = 0;
	ep_index_clear(&names->index);
	for (size_t i = 0; i < n; i++)
		if (keep[i])
			rc |= ep_labels_add(names, names->items[i], &idx, &is_new);
	(void)rc;
}

/* Keeps the marked rows (R) and columns (C). */
static void select_labelled(
	struct ep_labelled *matrix, const bool *keep_rows, const bool *keep_columns)
{
	size_t n_columns = matrix->columns.n, n_out = 0, row_out = 0;

	for (size_t r = 0; r < matrix->rows.n; r++) {
		if (!keep_rows[r])
			continue;
		matrix->line[row_out++] = matrix->line[r];
		for (size_t c = 0; c < n_columns; c++)
			if (keep_columns[c])
				matrix->values[n_out++] = matrix->values[r * n_columns + c];
	}
	select_names(&matrix->rows, keep_rows);
	select_names(&matrix->columns, keep_columns);
}

static void select_event_points(struct ep_events *events, const bool *keep)
{
	size_t n_out = 0;

	for (size_t i = 0; i < events->n_rows * events->n_points; i++)
		if (keep[i % events->n_points])
			events->values[n_out++] = events->values[i];
	events->n_points = events->n_rows ? n_out / events->n_rows : 0;
}

static bool *allocate_mask(size_t n, bool value)
{
	bool *mask = malloc(n + 1);

	if (mask)
		memset(mask, value, n + 1);
	return mask;
}

static void mark_shown_dims(const struct ep_labelled *basis, const bool *keep_points, bool *shown)
{
	size_t n_dims = basis->columns.n;

	for (size_t i = 0; i < basis->rows.n * n_dims; i++)
		if (keep_points[i / n_dims] && basis->values[i] != 0)
			shown[i % n_dims] = true;
}

static void mark_metrics(const struct ep_labelled *signatures, const bool *keep_dims, bool *keep)
{
	size_t n_dims = signatures->columns.n;

	for (size_t i = 0; i < signatures->rows.n * n_dims; i++)
		if (keep_dims[i % n_dims] && signatures->values[i] != 0)
			keep[i / n_dims] = true;
}

int ep_set_keep_points(struct ep_set *set, const bool *keep, struct ep_error *err)
{
	EP_AUTOFREE bool *dims = allocate_mask(set->basis.columns.n, false);
	EP_AUTOFREE bool *metrics = allocate_mask(set->signatures.rows.n, false);

	if (!dims || !metrics)
		return ep_fail(err, -ENOMEM, "out of memory");
	mark_shown_dims(&set->basis, keep, dims);
	mark_metrics(&set->signatures, dims, metrics);
	select_labelled(&set->signatures, metrics, dims);
	select_labelled(&set->basis, keep, dims);
	if (set->events.n_rows)
		select_event_points(&set->events, keep);
	if (!set->signatures.rows.n)
		return ep_fail(
			err, -EINVAL, "no metric is left of the points that this CPU can run");
	return 0;
}

static void write_names(const struct ep_labels *names, FILE *out)
{
	for (size_t i = 0; i < names->n; i++)
		fprintf(out, ",%s", names->items[i]);
}

void ep_labelled_write(const struct ep_labelled *matrix, const char *corner, FILE *out)
{
	fputs(corner, out);
	write_names(&matrix->columns, out);
	for (size_t r = 0; r < matrix->rows.n; r++) {
		fprintf(out, "\n%s", matrix->rows.items[r]);
		for (size_t c = 0; c < matrix->columns.n; c++)
			fprintf(out, ",%.17g", matrix->values[r * matrix->columns.n + c]);
	}
	fputc('\n', out);
}
