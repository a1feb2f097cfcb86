// SPDX-License-Identifier: BSD-3-Clause
/* Makes a series (lineup.h): compares the first column with each other column, and joins the rows of all
 * comparisons that are the same place. */
#include "reporter/compare/lineup.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

/* A row of one comparison, before it is joined with those of other comparisons. */
struct found {
	const struct ep_compared_row *row;
	uint32_t column_idx;
};

/* The three functions below return a row's name, file and line in the first column, since all comparisons
 * contain that column. */
static const char *first_name(const struct ep_compared_row *row)
{
	return row->was ? row->was : row->name;
}

static const char *first_file(const struct ep_compared_row *row)
{
	const char *file = row->was_file ? row->was_file : row->file;

	return file ? file : "";
}

static uint32_t first_line(const struct ep_compared_row *row)
{
	return row->was_line ? row->was_line : row->line;
}

static int by_place(const struct ep_compared_row *a, const struct ep_compared_row *b)
{
	int order = strcmp(first_name(a), first_name(b));

	if (!order)
		order = strcmp(first_file(a), first_file(b));
	return order ? order : (first_line(a) > first_line(b)) - (first_line(a) < first_line(b));
}

static int by_place_and_module(const void *one, const void *other)
{
	const struct found *a = one, *b = other;
	int order = by_place(a->row, b->row);

	if (!order)
		order = strcmp(a->row->module_name, b->row->module_name);
	return order ? order : (a->column_idx > b->column_idx) - (a->column_idx < b->column_idx);
}

static struct found *collect(const struct ep_lineup *s, uint32_t *out_n)
{
	struct found *all;
	uint32_t n = 0;

	for (uint32_t k = 1; k < s->n_columns; k++)
		n += s->comparisons[k - 1].n_rows;
	all = calloc((size_t)n + 1, sizeof(*all));
	*out_n = 0;
	for (uint32_t k = 1; k < s->n_columns && all; k++)
		for (uint32_t i = 0; i < s->comparisons[k - 1].n_rows; i++)
			all[(*out_n)++] = (struct found){ &s->comparisons[k - 1].rows[i], k };
	if (all)
		qsort(all, n, sizeof(*all), by_place_and_module);
	return all;
}

static void take_place(struct ep_lineup_row *row, const struct ep_compared_row *from)
{
	row->name = from->name;
	row->module_name = from->module_name;
	row->file = from->file;
	row->line = from->line;
	row->was = from->was;
	row->was_file = from->was_file;
	row->was_line = from->was_line;
}

static void add(struct ep_lineup *s, struct ep_lineup_row *row, const struct found *found)
{
	const struct ep_compared_row *from = found->row;

	if (!row->name || (from->is_after && found->column_idx > row->named_by)) {
		row->named_by = from->is_after ? found->column_idx : 0;
		take_place(row, from);
	}
	row->compared[found->column_idx] = from;
	row->ns[found->column_idx] = from->after_ns;
	if (from->is_before)
		row->ns[0] = from->before_ns;
	if (found->column_idx != s->n_columns - 1)
		return;
	row->last_variance = from->variance;
	row->least_sure = from->least_sure;
}

static struct ep_lineup_row *begin_row(struct ep_lineup *s)
{
	struct ep_lineup_row *row = &s->rows[s->n_rows];

	row->compared = s->compared + (size_t)s->n_columns * s->n_rows;
	row->ns = s->times + (size_t)s->n_columns * s->n_rows++;
	return row;
}

/* Joins n rows of one place. Rows of the same module become one. If no comparison has two of the rows, all
 * become one, whatever their modules, since a program may have been renamed. */
static void join_place(struct ep_lineup *s, const struct found *found, uint32_t n)
{
	struct ep_lineup_row *row = NULL;
	bool is_one = true;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < i; k++)
			is_one &= found[i].column_idx != found[k].column_idx;
	for (uint32_t i = 0; i < n; i++) {
		if (!row || (!is_one && strcmp(row->module_name, found[i].row->module_name)))
			row = begin_row(s);
		add(s, row, &found[i]);
	}
}

static void join(struct ep_lineup *s, const struct found *found, uint32_t n)
{
	uint32_t n_same;

	for (uint32_t i = 0; i < n; i += n_same) {
		n_same = 1;
		while (i + n_same < n && !by_place(found[i].row, found[i + n_same].row))
			n_same++;
		join_place(s, &found[i], n_same);
	}
}

static int by_change(const void *one, const void *other, void *series)
{
	double a = fabs(ep_lineup_change(series, one)), b = fabs(ep_lineup_change(series, other));
	const struct ep_lineup_row *row = one, *second = other;

	if (a != b)
		return a < b ? 1 : -1;
	return (row->ns > second->ns) - (row->ns < second->ns);
}

static int make_rows(struct ep_lineup *s)
{
	uint32_t n;
	struct found *found = collect(s, &n);

	s->rows = calloc((size_t)n + 1, sizeof(*s->rows));
	s->times = calloc(((size_t)n + 1) * s->n_columns, sizeof(*s->times));
	s->compared = calloc(((size_t)n + 1) * s->n_columns, sizeof(*s->compared));
	if (found && s->rows && s->times && s->compared) {
		join(s, found, n);
		qsort_r(s->rows, s->n_rows, sizeof(*s->rows), by_change, s);
	}
	free(found);
	return found && s->rows && s->times && s->compared ? 0 : -ENOMEM;
}

/* ---- columns ---- */

static bool differ_in_ranks(const struct ep_lineup *s)
{
	bool differ = false;

	for (uint32_t k = 0; k < s->n_columns; k++) {
		if (!s->columns[k].report->n_ranks)
			return false;
		differ |= s->columns[k].report->n_ranks != s->columns[0].report->n_ranks;
	}
	return differ;
}

static double speedup_of(const struct ep_report *first, const struct ep_report *report)
{
	if (first->is_simulated || report->is_simulated || !(ep_shown_s(report) > 0))
		return NAN;
	return ep_shown_s(first) / ep_shown_s(report);
}

static void measure_columns(struct ep_lineup *s)
{
	s->has_ranks = differ_in_ranks(s);
	s->is_exact = true;
	for (uint32_t k = 0; k < s->n_columns; k++) {
		const struct ep_report *report = s->columns[k].report;

		s->columns[k].n_workers = s->has_ranks ? report->n_ranks : report->n_threads;
		s->columns[k].speedup = speedup_of(s->columns[0].report, report);
		s->is_scaling |= s->columns[k].n_workers != s->columns[0].n_workers;
		s->n_simulated += report->is_simulated;
		s->is_exact &= report->is_exact;
	}
	for (uint32_t k = 0; k < s->n_columns; k++) {
		struct ep_lineup_column *c = &s->columns[k];

		c->efficiency = s->is_scaling && c->n_workers
					? c->speedup * s->columns[0].n_workers / c->n_workers
					: NAN;
	}
}

static int compare_columns(struct ep_lineup *s, const struct ep_compared_runs *runs)
{
	for (uint32_t k = 1; k < s->n_columns; k++) {
		int rc = ep_compare_runs(&runs[0], &runs[k], s->by, &s->comparisons[k - 1]);

		if (rc)
			return rc;
		s->columns[k] = (struct ep_lineup_column){ .report = s->comparisons[k - 1].after,
			.n_runs = runs[k].n };
	}
	s->columns[0] = (struct ep_lineup_column){ .report = s->comparisons[0].before,
		.n_runs = runs[0].n };
	return 0;
}

int ep_lineup_create(
	const struct ep_compared_runs *runs, uint32_t n, enum ep_by by, struct ep_lineup *out)
{
	__attribute__((cleanup(ep_lineup_finish))) struct ep_lineup s = { .n_columns = n,
		.by = by };
	int rc;

	s.columns = calloc(n, sizeof(*s.columns));
	s.comparisons = calloc(n, sizeof(*s.comparisons));
	if (!s.columns || !s.comparisons)
		return -ENOMEM;
	rc = compare_columns(&s, runs);
	if (!rc)
		rc = make_rows(&s);
	if (rc)
		return rc;
	measure_columns(&s);
	rc = ep_lineup_explain(&s);
	if (rc)
		return rc;
	*out = s;
	s = (struct ep_lineup){ 0 };
	return 0;
}

void ep_lineup_finish(struct ep_lineup *series)
{
	for (uint32_t k = 1; k < series->n_columns && series->counts; k++)
		ep_compared_counts_finish(&series->counts[k - 1]);
	for (uint32_t k = 1; k < series->n_columns && series->comparisons; k++)
		ep_comparison_finish(&series->comparisons[k - 1]);
	free(series->counts);
	free(series->compared);
	free(series->comparisons);
	free(series->columns);
	free(series->rows);
	free(series->times);
	ep_strings_finish(&series->texts);
	*series = (struct ep_lineup){ 0 };
}
