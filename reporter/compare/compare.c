// SPDX-License-Identifier: BSD-3-Clause
/* Compares reports (compare.h): rows of the two sides that are the same procedure, line or file are joined. */
#include "reporter/compare/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/compare/moved_files.h"
#include "reporter/compare/moved_lines.h"
#include "reporter/compare/moved_loops.h"
#include "reporter/compare/student.h"

#define Z95 1.96      /* quantile of the normal distribution for a 95 % interval */
#define SURE_ERRORS 3 /* a change of more than this many standard errors is not taken for chance */
/* the chance that a normal variable is more than three standard errors above its mean */
#define BEYOND_3 0.0013499

double ep_compare_margin(double variance)
{
	return Z95 * sqrt(variance);
}

bool ep_compared_is_sure(const struct ep_compared_row *row)
{
	return fabs(ep_compared_change(row)) > row->least_sure;
}

static double mean_of(const double *values, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += values[i];
	return sum / n;
}

static double squares_around_mean(const double *values, uint32_t n)
{
	double mean = mean_of(values, n), squares = 0;

	for (uint32_t i = 0; i < n; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	return squares;
}

/* Sets run_factor and sure_factor. The sum of squares within the sides, times run_factor, is the variance of
 * the difference of the means. Student's distribution enlarges this variance so that ep_compare_margin gives
 * a true 95 % interval for few runs. Both factors stay 0 if no side has two runs. */
static void find_run_factors(struct ep_comparison *c)
{
	uint32_t df = c->n_before + c->n_after - 2;
	double of_mean = 1. / c->n_before + 1. / c->n_after;

	if (!df)
		return;
	c->run_factor = pow(ep_student_quantile(0.025, df) / Z95, 2) / df * of_mean;
	c->sure_factor = pow(ep_student_quantile(BEYOND_3, df), 2) / df * of_mean;
}

static const struct ep_report_table *table_of(const struct ep_report *report, enum ep_by by)
{
	switch (by) {
	case EP_BY_LINES:
		return &report->lines;
	case EP_BY_MODULES:
		return &report->modules;
	case EP_BY_LOOPS:
		return &report->loops;
	default:
		return &report->procedures;
	}
}

/* Returns the memory for a row's times and variances in each run. c->times holds the memory of all rows, one
 * after the other. */
static struct ep_compared_times times_at(const struct ep_comparison *c, uint32_t row_idx)
{
	uint32_t n_runs = c->n_before + c->n_after;
	double *ns = c->times + (size_t)2 * n_runs * row_idx;

	return (struct ep_compared_times){ ns, ns + n_runs };
}

/* ---- rows ---- */

/* Tells whether a row is identified by its file and line. Rows of procedures are not, since a procedure's
 * hottest line may change. */
static bool is_told_by_place(const struct ep_comparison *c, const struct ep_report_row *row)
{
	return (c->by == EP_BY_LINES || c->by == EP_BY_LOOPS) && row->hot_file;
}

/* facts/loop_table.c puts these texts into names, for code outside of loops and for loops that were inlined. */
#define REST ", outside loops"
#define INLINED ", inlined in "
#define MOST_OF_NAME 1000

/* Returns the new name of the procedure whose old name is the first n_name bytes of name; NULL: the procedure
 * was not renamed. */
static const char *renamed_part(const struct ep_renames *renames, const char *name, size_t n_name)
{
	char text[MOST_OF_NAME + 1];

	if (n_name > MOST_OF_NAME)
		return NULL;
	memcpy(text, name, n_name);
	text[n_name] = '\0';
	return ep_renames_after(renames, text);
}

/* Returns the new name of a row of the older program. The row is a procedure, the part of a procedure outside
 * its loops, or a loop that was inlined. NULL: no procedure in the name was renamed, or there is no memory. */
static const char *new_name(
	struct ep_comparison *c, const struct ep_renames *renames, const char *name)
{
	const char *rest = strstr(name, REST), *inlined = strstr(name, INLINED);
	const char *behind = inlined ? inlined : rest ? rest : name + strlen(name);
	const char *own = renamed_part(renames, name, (size_t)(behind - name)), *caller = NULL;
	char text[2 * MOST_OF_NAME + sizeof(INLINED)];

	if (inlined)
		caller = ep_renames_after(renames, inlined + strlen(INLINED));
	if (!own && !caller)
		return NULL;
	if (!*behind)
		return own;
	snprintf(text, sizeof(text), "%.*s%s%.1000s",
		(int)(own ? strlen(own) : (size_t)(behind - name)), own ? own : name,
		inlined ? INLINED : REST,
		caller    ? caller
		: inlined ? inlined + strlen(INLINED)
			  : "");
	return ep_strings_add(&c->texts, text, strlen(text));
}

static void add_row(struct ep_comparison *c, const struct ep_report *report,
	const struct ep_report_row *row, uint32_t run_idx)
{
	double error_ns = row->self_error * (double)report->sampled_ns;
	bool is_before = run_idx < c->n_before, is_line = is_told_by_place(c, row);
	struct ep_compared_times times = times_at(c, c->n_rows);

	times.ns[run_idx] = (double)row->self_ns;
	times.variance[run_idx] = error_ns * error_ns;
	c->sources[c->n_sources] =
		(struct ep_compared_source){ .row = row, .run_idx = run_idx, .next = EP_NONE };
	c->rows[c->n_rows++] = (struct ep_compared_row){
		.first_source = c->n_sources,
		.last_source = c->n_sources,
		.depth = row->depth,
		.name = row->depth && !is_line ? row->name : row->short_name,
		.module_name = row->module_name ? row->module_name : "",
		.file = is_line ? ep_base_name(row->hot_file) : NULL,
		.line = is_line ? row->hot_line : 0,
		.is_before = is_before,
		.is_after = !is_before,
		.times = times,
	};
	c->n_sources++;
}

static void add_rows(
	struct ep_comparison *c, const struct ep_compared_runs *runs, uint32_t first_idx)
{
	for (uint32_t r = 0; r < runs->n; r++) {
		const struct ep_report_table *table = table_of(runs->reports[r], c->by);

		for (uint32_t i = 0; i < table->n_rows; i++)
			add_row(c, runs->reports[r], &table->rows[i], first_idx + r);
	}
}

/* Gives the rows of the older program (the side before) the names that their procedures have in the newer
 * one. */
static int rename_rows(struct ep_comparison *c, const struct ep_compared_runs *before,
	const struct ep_compared_runs *after)
{
	__attribute__((cleanup(ep_renames_finish))) struct ep_renames renames = { 0 };
	int rc = c->by == EP_BY_MODULES ? 0 : ep_renames_find(before, after, &renames);

	for (uint32_t i = 0; !rc && renames.n && i < c->n_rows; i++) {
		struct ep_compared_row *row = &c->rows[i];
		const char *name = row->is_before ? new_name(c, &renames, row->name) : NULL;

		if (!name)
			continue;
		row->was = row->name;
		row->name = name;
	}
	return rc;
}

/* Gives the rows of the older program the files and lines that their code has in the newer one. */
static int move_rows(struct ep_comparison *c, const struct ep_compared_runs *before,
	const struct ep_compared_runs *after)
{
	if (c->by != EP_BY_LINES && c->by != EP_BY_LOOPS)
		return 0;
	ep_compare_move_files(c->rows, c->n_rows);
	if (c->by == EP_BY_LINES)
		return ep_compare_move_lines(c->rows, c->n_rows, before, after);
	ep_compare_move_loops(c->rows, c->n_rows);
	return 0;
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

/* Adds row to into, a row of the same place. The joined row has the module, file and line of the side after,
 * which is the newer program. */
static void merge(const struct ep_comparison *c, struct ep_compared_row *into,
	const struct ep_compared_row *row)
{
	if (row->is_after) {
		into->module_name = row->module_name;
		into->file = row->file;
		into->line = row->line;
	}
	if (row->was)
		into->was = row->was;
	if (row->was_file)
		into->was_file = row->was_file;
	if (row->was_line)
		into->was_line = row->was_line;
	c->sources[into->last_source].next = row->first_source;
	into->last_source = row->last_source;
	into->is_before |= row->is_before;
	into->is_after |= row->is_after;
	for (uint32_t r = 0; r < c->n_before + c->n_after; r++) {
		into->times.ns[r] += row->times.ns[r];
		into->times.variance[r] += row->times.variance[r];
	}
}

/* Joins sorted rows that have the same place and module. */
static void join_alike(struct ep_comparison *c)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n_rows; i++) {
		if (n && !by_place_and_module(&c->rows[n - 1], &c->rows[i]))
			merge(c, &c->rows[n - 1], &c->rows[i]);
		else
			c->rows[n++] = c->rows[i];
	}
	c->n_rows = n;
}

static bool is_pair(const struct ep_compared_row *a, const struct ep_compared_row *b)
{
	return a->is_before != a->is_after && b->is_before != b->is_after &&
	       a->is_before != b->is_before;
}

/* Joins two rows of the same place if each side has one of them: their module was renamed. */
static void join_renamed(struct ep_comparison *c)
{
	uint32_t n = 0, n_same;

	for (uint32_t i = 0; i < c->n_rows; i += n_same) {
		n_same = 1;
		while (i + n_same < c->n_rows &&
			!order_of_places(&c->rows[i], &c->rows[i + n_same]))
			n_same++;
		if (n_same == 2 && is_pair(&c->rows[i], &c->rows[i + 1])) {
			c->rows[n] = c->rows[i];
			merge(c, &c->rows[n++], &c->rows[i + 1]);
			continue;
		}
		memmove(&c->rows[n], &c->rows[i], n_same * sizeof(*c->rows));
		n += n_same;
	}
	c->n_rows = n;
}

/* Differences between runs already include the errors of samples, so that the larger one of the two errors,
 * not their sum, is the whole error. */
struct ep_compared_sides ep_compare_sum_up(
	const struct ep_comparison *c, const struct ep_compared_times *times)
{
	const double *ns[] = { times->ns, times->ns + c->n_before };
	const uint32_t n[] = { c->n_before, c->n_after };
	double of_samples[] = { mean_of(times->variance, n[0]) / n[0],
		mean_of(times->variance + n[0], n[1]) / n[1] };
	double of_both = of_samples[0] + of_samples[1], of_mean = 1. / n[0] + 1. / n[1];
	double squares = squares_around_mean(ns[0], n[0]) + squares_around_mean(ns[1], n[1]);
	struct ep_compared_sides sides = {
		.before_ns = mean_of(ns[0], n[0]),
		.after_ns = mean_of(ns[1], n[1]),
		.variance = fmax(of_both, c->run_factor * squares),
		.least_sure = fmax(SURE_ERRORS * sqrt(of_both), sqrt(c->sure_factor * squares)),
	};

	for (int k = 0; k < 2; k++)
		sides.errors[k] =
			sqrt(fmax(of_samples[k], c->run_factor * squares / of_mean / n[k]));
	return sides;
}

/* Restores the old name, file and line of rows that have no counterpart on the side after. */
static void restore_places(struct ep_comparison *c)
{
	for (uint32_t i = 0; i < c->n_rows; i++) {
		struct ep_compared_row *row = &c->rows[i];

		if (row->is_after)
			continue;
		row->name = row->was ? row->was : row->name;
		row->file = row->was_file ? row->was_file : row->file;
		row->line = row->was_line ? row->was_line : row->line;
		row->was = row->was_file = NULL;
		row->was_line = 0;
	}
}

static void sum_up_rows(struct ep_comparison *c)
{
	for (uint32_t i = 0; i < c->n_rows; i++) {
		struct ep_compared_sides sides = ep_compare_sum_up(c, &c->rows[i].times);

		c->rows[i].before_ns = sides.before_ns;
		c->rows[i].after_ns = sides.after_ns;
		c->rows[i].variance = sides.variance;
		c->rows[i].least_sure = sides.least_sure;
	}
}

static int by_change(const void *one, const void *other)
{
	double a = fabs(ep_compared_change(one)), b = fabs(ep_compared_change(other));

	return a != b ? (a < b ? 1 : -1) : by_place_and_module(one, other);
}

static void take_activity(const struct ep_report *report, enum ep_activity activity, double *out_ns,
	double *out_variance)
{
	for (uint32_t i = 0; i < report->n_activities; i++) {
		double error_ns = report->activities[i].error * (double)report->sampled_ns;

		if (report->activities[i].activity != activity)
			continue;
		*out_ns = (double)report->activities[i].ns;
		*out_variance = error_ns * error_ns;
	}
}

/* Compares the time of one activity; room is memory for the times of each run. */
static struct ep_compared_activity compare_activity(const struct ep_comparison *c,
	const struct ep_compared_runs *before, const struct ep_compared_runs *after,
	enum ep_activity activity, const struct ep_compared_times *room)
{
	uint32_t n_runs = c->n_before + c->n_after;
	struct ep_compared_sides sides;

	memset(room->ns, 0, 2 * n_runs * sizeof(*room->ns));
	for (uint32_t r = 0; r < n_runs; r++)
		take_activity(
			r < c->n_before ? before->reports[r] : after->reports[r - c->n_before],
			activity, &room->ns[r], &room->variance[r]);
	sides = ep_compare_sum_up(c, room);
	return (struct ep_compared_activity){ activity, sides.before_ns, sides.after_ns,
		sides.variance };
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

static void compare_activities(struct ep_comparison *c, const struct ep_compared_runs *before,
	const struct ep_compared_runs *after, const struct ep_compared_times *room)
{
	for (uint32_t i = 0; i < EP_N_ACTIVITIES; i++)
		c->activities[i] = compare_activity(c, before, after, (enum ep_activity)i, room);
	qsort(c->activities, EP_N_ACTIVITIES, sizeof(*c->activities), by_activity_change);
}

static uint32_t count_rows(const struct ep_compared_runs *runs, enum ep_by by)
{
	uint32_t n = 0;

	for (uint32_t r = 0; r < runs->n; r++)
		n += table_of(runs->reports[r], by)->n_rows;
	return n;
}

/* Returns the report of a single run itself. For several runs it makes a typical report, and sets *out to
 * this report. */
static const struct ep_report *typical_of(
	const struct ep_compared_runs *runs, struct ep_report **out)
{
	if (runs->n == 1)
		return runs->reports[0];
	*out = ep_compare_typical(runs);
	return *out;
}

int ep_compare_runs(const struct ep_compared_runs *before, const struct ep_compared_runs *after,
	enum ep_by by, struct ep_comparison *out)
{
	__attribute__((cleanup(ep_comparison_finish))) struct ep_comparison c = {
		.by = by,
		.n_before = before->n,
		.n_after = after->n,
	};
	uint32_t n = count_rows(before, by) + count_rows(after, by);
	struct ep_compared_times room;
	int rc;

	c.before = typical_of(before, &c.typical[0]);
	c.after = typical_of(after, &c.typical[1]);
	c.rows = calloc((size_t)n + 1, sizeof(*c.rows));
	c.times = calloc(((size_t)n + 1) * (before->n + after->n), 2 * sizeof(*c.times));
	c.sources = calloc((size_t)n + 1, sizeof(*c.sources));
	if (!c.before || !c.after || !c.rows || !c.times || !c.sources)
		return -ENOMEM;
	find_run_factors(&c);
	room = times_at(&c, n);
	add_rows(&c, before, 0);
	add_rows(&c, after, before->n);
	if (rename_rows(&c, before, after) || move_rows(&c, before, after))
		return -ENOMEM;
	qsort(c.rows, c.n_rows, sizeof(*c.rows), by_place_and_module);
	join_alike(&c);
	join_renamed(&c);
	restore_places(&c);
	sum_up_rows(&c);
	qsort(c.rows, c.n_rows, sizeof(*c.rows), by_change);
	compare_activities(&c, before, after, &room);
	rc = ep_compare_explain(&c);
	*out = c;
	c = (struct ep_comparison){ 0 };
	return rc;
}

void ep_comparison_finish(struct ep_comparison *comparison)
{
	free(comparison->rows);
	free(comparison->times);
	free(comparison->sources);
	free(comparison->typical[0]);
	free(comparison->typical[1]);
	ep_strings_finish(&comparison->texts);
	*comparison = (struct ep_comparison){ 0 };
}
