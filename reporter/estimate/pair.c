// SPDX-License-Identifier: BSD-3-Clause
/* Two runs of a program, slice by slice. */
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

/* A slice's length says nothing about what ran in it. */
static bool is_common(const struct ep_table *mpx, const struct ep_table *ocoe, size_t column)
{
	int other = ep_table_column(ocoe, mpx->names[column]);

	return strcmp(mpx->names[column], "cpu-time") && other >= 0 && is_throughout(mpx, column) &&
	       is_throughout(ocoe, (size_t)other);
}

/* Logs of the common columns: (T, K), K = n_common. */
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

/* Fills the gaps of one column. */
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

int ep_pair_complete(const struct ep_table *mpx, const struct ep_table *ocoe, size_t n_tables,
	struct ep_table *out_table)
{
	EP_AUTOTABLE struct ep_table out = { 0 };
	size_t n_cells = mpx->n_rows * mpx->n_columns;
	int rc = ep_table_init(&out, mpx->n_rows, mpx->n_columns, mpx->names);

	if (rc)
		return rc;
	memcpy(out.values, mpx->values, n_cells * sizeof(*out.values));
	memcpy(out.measured, mpx->measured, n_cells);
	for (size_t i = 0; i < n_tables && !rc; i++) {
		__attribute__((cleanup(ep_dtw_match_finish))) struct ep_dtw_match match = { 0 };
		rc = ep_pair_match(mpx, &ocoe[i], EP_ALIGN_DTW, 0, &match);
		for (size_t e = 0; e < mpx->n_columns && !rc; e++) {
			struct ep_true_event at = ep_pair_find(ocoe, n_tables, mpx->names[e]);
			if (at.table_idx == i)
				rc = complete_column(&out, e, &ocoe[i], at.column, &match);
		}
	}
	if (rc)
		return rc;
	*out_table = out;
	out = (struct ep_table){ 0 };
	return 0;
}
