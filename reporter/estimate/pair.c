// SPDX-License-Identifier: BSD-3-Clause
/* Compares two runs of a program slice by slice. */
#include "reporter/estimate/pair.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

const char *const ep_alignment_names[] = { "step", "dtw", NULL };

static bool is_throughout(const struct ep_table *t, size_t column)
{
	for (size_t i = 0; i < t->n_rows; i++)
		if (!t->measured[i * t->n_columns + column])
			return false;
	return true;
}

/* Tells whether both runs counted the column in every slice. cpu-time is never such a column: a slice's
 * length says nothing about the work in the slice. */
static bool is_common(const struct ep_table *mpx, const struct ep_table *ocoe, size_t column)
{
	int other = ep_table_column(ocoe, mpx->names[column]);

	return strcmp(mpx->names[column], "cpu-time") && other >= 0 && is_throughout(mpx, column) &&
	       is_throughout(ocoe, (size_t)other);
}

/* Returns the logs of the common columns: (T, K), K = n_common. */
static double *common_logs(
	const struct ep_table *t, const struct ep_table *mpx, const bool *common, size_t n_common)
{
	double *out = malloc((t->n_rows * n_common + 1) * sizeof(*out)), *at = out;

	for (size_t i = 0; out && i < t->n_rows; i++)
		for (size_t e = 0; e < mpx->n_columns; e++)
			if (common[e]) {
				size_t column = (size_t)ep_table_column(t, mpx->names[e]);
				*at++ = log10(1 + t->values[i * t->n_columns + column]);
			}
	return out;
}

static int match_by_step(size_t n, struct ep_dtw_match *out)
{
	struct ep_dtw_match match = { n, malloc(n * sizeof(uint32_t)),
		malloc(n * sizeof(uint32_t)) };

	if (!match.first || !match.last) {
		ep_dtw_match_finish(&match);
		return -ENOMEM;
	}
	for (size_t t = 0; t < n; t++)
		match.first[t] = match.last[t] = (uint32_t)t;
	*out = match;
	return 0;
}

int ep_pair_match(const struct ep_table *mpx, const struct ep_table *ocoe,
	enum ep_alignment alignment, size_t band, struct ep_dtw_match *out_match)
{
	EP_AUTOFREE bool *common = calloc(mpx->n_columns, sizeof(*common));
	EP_AUTOFREE double *a = NULL, *b = NULL;
	size_t n_common = 0;

	if (!common)
		return -ENOMEM;
	for (size_t e = 0; e < mpx->n_columns && alignment == EP_ALIGN_DTW; e++)
		n_common += common[e] = is_common(mpx, ocoe, e);
	if (!n_common)
		return match_by_step(
			mpx->n_rows < ocoe->n_rows ? mpx->n_rows : ocoe->n_rows, out_match);
	a = common_logs(mpx, mpx, common, n_common);
	b = common_logs(ocoe, mpx, common, n_common);
	if (!a || !b)
		return -ENOMEM;
	return ep_dtw_match(a, mpx->n_rows, b, ocoe->n_rows, n_common, band, out_match);
}

struct ep_true_event ep_pair_find(const struct ep_table *ocoe, size_t n_tables, const char *event)
{
	for (size_t i = 0; i < n_tables; i++) {
		int column = ep_table_column(&ocoe[i], event);
		if (column >= 0 && is_throughout(&ocoe[i], (size_t)column))
			return (struct ep_true_event){ i, (size_t)column };
	}
	return (struct ep_true_event){ n_tables, 0 };
}

double *ep_pair_truth(const struct ep_table *ocoe, size_t column, const struct ep_dtw_match *match)
{
	double *out = malloc((match->n + 1) * sizeof(*out));

	for (size_t t = 0; out && t < match->n; t++) {
		double sum = 0;
		for (size_t i = match->first[t]; i <= match->last[t]; i++)
			sum += ocoe->values[i * ocoe->n_columns + column];
		out[t] = sum / (match->last[t] - match->first[t] + 1);
	}
	return out;
}

/* Fills the gaps of one column by the true counts, which ocoe has in column from. */
static int complete_column(struct ep_table *out, size_t column, const struct ep_table *ocoe,
	size_t from, const struct ep_dtw_match *match)
{
	EP_AUTOFREE double *truth = ep_pair_truth(ocoe, from, match);

	if (!truth)
		return -ENOMEM;
	for (size_t t = 0; t < match->n; t++) {
		size_t cell = t * out->n_columns + column;
		if (out->measured[cell])
			continue;
		out->measured[cell] = 1;
		out->values[cell] = truth[t];
	}
	return 0;
}

static int complete(struct ep_table *whole, const struct ep_table *mpx, const struct ep_table *ocoe,
	size_t n_tables)
{
	int rc = 0;

	for (size_t i = 0; i < n_tables && !rc; i++) {
		__attribute__((cleanup(ep_dtw_match_finish))) struct ep_dtw_match match = { 0 };
		rc = ep_pair_match(mpx, &ocoe[i], EP_ALIGN_DTW, 0, &match);
		for (size_t e = 0; e < whole->n_columns && !rc; e++) {
			struct ep_true_event at = ep_pair_find(ocoe, n_tables, whole->names[e]);
			if (at.table_idx == i)
				rc = complete_column(whole, e, &ocoe[i], at.column, &match);
		}
	}
	return rc;
}

static size_t first_gap(const struct ep_table *t, size_t column)
{
	size_t i = 0;

	while (i < t->n_rows && t->measured[i * t->n_columns + column])
		i++;
	return i;
}

/* Tells whether the first n_rows rows have no measured value in the column. */
static bool is_never(const struct ep_table *t, size_t n_rows, size_t column)
{
	for (size_t i = 0; i < n_rows; i++)
		if (t->measured[i * t->n_columns + column])
			return false;
	return true;
}

/* The rows and columns of a completed table that training can use. */
struct part {
	size_t n_rows, n_columns;
	size_t *columns; /* (n_columns) indexes of the table's columns */
	char **names;    /* (n_columns) names, which belong to the table */
};

static void part_finish(struct part *part)
{
	free(part->columns);
	free(part->names);
}

static int part_init(
	struct part *part, const struct ep_table *mpx, const struct ep_table *whole, size_t n_least)
{
	*part = (struct part){ .n_rows = whole->n_rows,
		.columns = calloc(whole->n_columns, sizeof(*part->columns)),
		.names = calloc(whole->n_columns, sizeof(*part->names)) };
	if (!part->columns || !part->names)
		return -ENOMEM;
	for (size_t e = 0; e < whole->n_columns; e++) {
		size_t n_known = first_gap(whole, e);
		if (n_known < n_least || is_never(mpx, n_least, e))
			continue;
		part->n_rows = n_known < part->n_rows ? n_known : part->n_rows;
		part->names[part->n_columns] = whole->names[e];
		part->columns[part->n_columns++] = e;
	}
	return 0;
}

static int take_part(const struct part *part, const struct ep_table *mpx,
	const struct ep_table *whole, struct ep_table *out, unsigned char *measured)
{
	int rc = ep_table_init(out, part->n_rows, part->n_columns, part->names);

	for (size_t i = 0; i < part->n_rows * part->n_columns && !rc; i++) {
		size_t from =
			i / part->n_columns * whole->n_columns + part->columns[i % part->n_columns];
		out->values[i] = whole->values[from];
		out->measured[i] = 1;
		measured[i] = mpx->measured[from];
	}
	return rc;
}

int ep_pair_complete(const struct ep_table *mpx, const struct ep_table *ocoe, size_t n_tables,
	struct ep_table *out_table, unsigned char **out_measured)
{
	EP_AUTOTABLE struct ep_table whole = { 0 };
	__attribute__((cleanup(part_finish))) struct part part = { 0 };
	size_t n_cells = mpx->n_rows * mpx->n_columns, n_least = mpx->n_rows;
	EP_AUTOFREE unsigned char *measured = malloc(n_cells + 1);
	int rc = ep_table_init(&whole, mpx->n_rows, mpx->n_columns, mpx->names);

	if (rc || !measured)
		return -ENOMEM;
	memcpy(whole.values, mpx->values, n_cells * sizeof(*whole.values));
	memcpy(whole.measured, mpx->measured, n_cells);
	for (size_t i = 0; i < n_tables; i++)
		n_least = ocoe[i].n_rows < n_least ? ocoe[i].n_rows : n_least;
	if (complete(&whole, mpx, ocoe, n_tables) || part_init(&part, mpx, &whole, n_least) ||
		take_part(&part, mpx, &whole, out_table, measured))
		return -ENOMEM;
	*out_measured = measured;
	measured = NULL;
	return 0;
}
