// SPDX-License-Identifier: BSD-3-Clause
/* compare.h: rows of two reports that are the same procedure, line or file find each other. */
#include "reporter/compare/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

double ep_compare_margin(double variance)
{
	return 1.96 * sqrt(variance);
}

bool ep_compared_is_sure(const struct ep_compared_row *row)
{
	return fabs(ep_compared_change(row)) > 3 * sqrt(row->variance);
}

static struct ep_compared_row row_of(
	const struct ep_report *report, const struct ep_report_row *row, bool is_before)
{
	double error_ns = row->self_error * (double)report->sampled_ns;

	return (struct ep_compared_row){
		.name = row->short_name,
		.module_name = row->module_name ? row->module_name : "",
		.is_before = is_before,
		.is_after = !is_before,
		.before_ns = is_before ? (double)row->self_ns : 0,
		.after_ns = is_before ? 0 : (double)row->self_ns,
		.variance = error_ns * error_ns,
	};
}

/* Only a line's own row is told apart by where it is: a procedure's hottest line may move. */
static void add_rows(struct ep_comparison *c, const struct ep_report *report,
	const struct ep_report_table *table, bool is_before)
{
	bool is_lines = table == &report->lines;

	for (uint32_t i = 0; i < table->n_rows; i++) {
		struct ep_compared_row *row = &c->rows[c->n_rows++];

		*row = row_of(report, &table->rows[i], is_before);
		if (is_lines && table->rows[i].hot_file) {
			row->file = ep_base_name(table->rows[i].hot_file);
			row->line = table->rows[i].hot_line;
		}
	}
}

static int order_of_places(const struct ep_compared_row *a, const struct ep_compared_row *b)
{
	int order = strcmp(a->name, b->name);

	if (!order)
		order = strcmp(a->file ? a->file : "", b->file ? b->file : "");
	return order ? order : (a->line > b->line) - (a->line < b->line);
}

static int by_place_and_module(const void *one, const void *other)
{
	const struct ep_compared_row *a = one, *b = other;
	int order = order_of_places(a, b);

	return order ? order : strcmp(a->module_name, b->module_name);
}

/* Names are those of after, where it is the newer program. */
static void merge(struct ep_compared_row *into, const struct ep_compared_row *row)
{
	if (row->is_after)
		into->module_name = row->module_name;
	into->is_before |= row->is_before;
	into->is_after |= row->is_after;
	into->before_ns += row->before_ns;
	into->after_ns += row->after_ns;
	into->variance += row->variance;
}

/* Sorted rows that are alike become one. */
static void join_alike(struct ep_comparison *c)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n_rows; i++) {
		if (n && !by_place_and_module(&c->rows[n - 1], &c->rows[i]))
			merge(&c->rows[n - 1], &c->rows[i]);
		else
			c->rows[n++] = c->rows[i];
	}
	c->n_rows = n;
}

static bool is_renamed(const struct ep_compared_row *a, const struct ep_compared_row *b)
{
	return a->is_before != a->is_after && b->is_before != b->is_after &&
	       a->is_before != b->is_before;
}

/* Two of a name, one of each run, in files of different names. */
static void join_renamed(struct ep_comparison *c)
{
	uint32_t n = 0, n_same;

	for (uint32_t i = 0; i < c->n_rows; i += n_same) {
		n_same = 1;
		while (i + n_same < c->n_rows &&
			!order_of_places(&c->rows[i], &c->rows[i + n_same]))
			n_same++;
		if (n_same == 2 && is_renamed(&c->rows[i], &c->rows[i + 1])) {
			c->rows[n] = c->rows[i];
			merge(&c->rows[n++], &c->rows[i + 1]);
			continue;
		}
		memmove(&c->rows[n], &c->rows[i], n_same * sizeof(*c->rows));
		n += n_same;
	}
	c->n_rows = n;
}

static int by_change(const void *one, const void *other)
{
	double a = fabs(ep_compared_change(one)), b = fabs(ep_compared_change(other));

	return a != b ? (a < b ? 1 : -1) : by_place_and_module(one, other);
}

static void add_activities(struct ep_comparison *c, const struct ep_report *report, bool is_before)
{
	for (uint32_t i = 0; i < report->n_activities; i++) {
		const struct ep_report_activity *from = &report->activities[i];
		struct ep_compared_activity *to = &c->activities[from->activity];
		double error_ns = from->error * (double)report->sampled_ns;

		*(is_before ? &to->before_ns : &to->after_ns) += (double)from->ns;
		to->variance += error_ns * error_ns;
	}
}

static int by_activity_change(const void *one, const void *other)
{
	const struct ep_compared_activity *a = one, *b = other;
	double change_a = fabs(a->after_ns - a->before_ns),
	       change_b = fabs(b->after_ns - b->before_ns);

	if (change_a != change_b)
		return change_a < change_b ? 1 : -1;
	return (int)a->activity - (int)b->activity;
}

static void compare_activities(struct ep_comparison *c)
{
	for (uint32_t i = 0; i < EP_N_ACTIVITIES; i++)
		c->activities[i].activity = (enum ep_activity)i;
	add_activities(c, c->before, true);
	add_activities(c, c->after, false);
	qsort(c->activities, EP_N_ACTIVITIES, sizeof(*c->activities), by_activity_change);
}

int ep_compare(const struct ep_report *before, const struct ep_report_table *before_table,
	const struct ep_report *after, const struct ep_report_table *after_table,
	struct ep_comparison *out)
{
	struct ep_comparison c = { .before = before, .after = after };

	c.rows = calloc((size_t)before_table->n_rows + after_table->n_rows + 1, sizeof(*c.rows));
	if (!c.rows)
		return -ENOMEM;
	add_rows(&c, before, before_table, true);
	add_rows(&c, after, after_table, false);
	qsort(c.rows, c.n_rows, sizeof(*c.rows), by_place_and_module);
	join_alike(&c);
	join_renamed(&c);
	qsort(c.rows, c.n_rows, sizeof(*c.rows), by_change);
	compare_activities(&c);
	*out = c;
	return ep_compare_explain(out);
}

void ep_comparison_finish(struct ep_comparison *comparison)
{
	free(comparison->rows);
	ep_strings_finish(&comparison->texts);
	*comparison = (struct ep_comparison){ 0 };
}
