// SPDX-License-Identifier: BSD-3-Clause
/* Finds the counts that explain a series. The comparison of the first column with the last tells which counts
 * explain a change; the other comparisons give the same counts for the columns between. */
#include <errno.h>
#include <json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/compare/lineup.h"
#include "reporter/text/json_text.h"

#define MOST_ASKED 5 /* most rows that are explained */

static const struct ep_comparison *last_of(const struct ep_lineup *s)
{
	return &s->comparisons[s->n_columns - 2];
}

static uint32_t row_idx_of(
	const struct ep_lineup *s, uint32_t column_idx, const struct ep_lineup_row *row)
{
	return (uint32_t)(row->compared[column_idx] - s->comparisons[column_idx - 1].rows);
}

/* Sets the wishes (n_rows of the column's comparison) for the rows with the largest sure changes. */
static void wish(const struct ep_lineup *s, uint32_t column_idx, enum ep_count_wish *wishes)
{
	uint32_t last = s->n_columns - 1, n = 0;

	for (uint32_t i = 0; i < s->n_rows && n < MOST_ASKED; i++) {
		const struct ep_lineup_row *row = &s->rows[i];

		if (!row->compared[last] || !ep_compare_asks_why(last_of(s), row->compared[last]))
			continue;
		n++;
		if (row->compared[column_idx])
			wishes[row_idx_of(s, column_idx, row)] =
				column_idx == last ? EP_COUNT_EXPLAIN : EP_COUNT_ALL;
	}
}

static int count_column(struct ep_lineup *s, uint32_t column_idx,
	const struct ep_compared_runs *runs, const char *cpuid)
{
	const struct ep_comparison *c = &s->comparisons[column_idx - 1];
	EP_AUTOFREE enum ep_count_wish *wishes = calloc((size_t)c->n_rows + 1, sizeof(*wishes));
	const struct ep_count_question question = { c, &runs[0], &runs[column_idx], cpuid, wishes };

	if (!wishes)
		return -ENOMEM;
	wish(s, column_idx, wishes);
	return ep_compare_count(&question, &s->counts[column_idx - 1]);
}

int ep_lineup_count(
	struct ep_lineup *series, const struct ep_compared_runs *runs, const char *cpuid)
{
	int rc = 0;

	series->counts = calloc(series->n_columns, sizeof(*series->counts));
	if (!series->counts)
		return -ENOMEM;
	for (uint32_t k = 1; !rc && k < series->n_columns; k++)
		rc = count_column(series, k, runs, cpuid);
	return rc;
}

static bool is_of_name(const struct ep_compared_value *a, const struct ep_compared_value *b)
{
	return !strcmp(a->name, b->name) &&
	       !strcmp(a->model ? a->model : "", b->model ? b->model : "");
}

const struct ep_quantity *ep_lineup_value(const struct ep_lineup *series,
	const struct ep_lineup_row *row, const struct ep_compared_value *value, uint32_t column_idx)
{
	const struct ep_compared_counts *counts;
	const struct ep_place_counts *place;

	if (!column_idx)
		return &value->before;
	if (!row->compared[column_idx])
		return NULL;
	counts = &series->counts[column_idx - 1];
	place = &counts->places[row_idx_of(series, column_idx, row)];
	for (uint32_t v = 0; place->values && v < counts->n_values; v++)
		if (is_of_name(&place->values[v], value))
			return ep_quantity_is_known(&place->values[v].after) &&
					       !place->values[v].is_mixed
				       ? &place->values[v].after
				       : NULL;
	return NULL;
}

const struct ep_place_counts *ep_lineup_explaining(
	const struct ep_lineup *series, const struct ep_lineup_row *row)
{
	uint32_t last = series->n_columns - 1;
	const struct ep_place_counts *place;

	if (!series->counts || !row->compared[last])
		return NULL;
	place = &series->counts[last - 1].places[row_idx_of(series, last, row)];
	return place->is_asked ? place : NULL;
}

static void put_number(struct json_object *array, double number)
{
	json_object_array_add(array, isfinite(number) ? json_object_new_double(number) : NULL);
}

static struct json_object *value_json(const struct ep_lineup *series,
	const struct ep_lineup_row *row, const struct ep_compared_value *value)
{
	struct json_object *object = json_object_new_object();
	struct json_object *numbers = json_object_new_array(), *errors = json_object_new_array();

	json_object_object_add(object, "name", ep_json_text(value->name));
	json_object_object_add(object, "model", ep_json_text(value->model));
	json_object_object_add(object, "base", ep_json_text(value->base));
	json_object_object_add(object, "unit", ep_json_text(value->unit));
	for (uint32_t k = 0; k < series->n_columns; k++) {
		const struct ep_quantity *number = ep_lineup_value(series, row, value, k);

		put_number(numbers, number ? number->value : NAN);
		put_number(errors, number ? ep_quantity_error(number) : NAN);
	}
	json_object_object_add(object, "values", numbers);
	json_object_object_add(object, "errors", errors);
	return object;
}

struct json_object *ep_lineup_explaining_json(
	const struct ep_lineup *series, const struct ep_lineup_row *row)
{
	const struct ep_place_counts *place = ep_lineup_explaining(series, row);
	struct json_object *array = place ? json_object_new_array() : NULL;

	for (uint32_t i = 0; place && i < place->n_explaining; i++)
		json_object_array_add(
			array, value_json(series, row, &place->values[place->explaining[i]]));
	return array;
}
