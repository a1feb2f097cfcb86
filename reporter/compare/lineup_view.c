// SPDX-License-Identifier: BSD-3-Clause
/* Prints a series, as text and as JSON (docs/report-json.md). */
#include <errno.h>
#include <json.h>
#include <math.h>

#include "common/cleanup.h"
#include "reporter/compare/lineup.h"
#include "reporter/compare/place_text.h"
#include "reporter/text/json_text.h"
#include "reporter/text/layout.h"

/* ---- text ---- */

#define TIME_COLUMNS 11
#define LABEL_COLUMNS 22
#define LABEL_COLUMNS_LEAST 18
/* share of the CPU time of the column with the most CPU time; smaller rows are not shown */
#define LEAST_SHOWN 0.002

struct lineup_table {
	struct ep_layout layout;
	const struct ep_lineup *s;
	const struct ep_lineup_page *what;
	uint32_t label_columns;
	uint32_t n_shown; /* columns that are shown: the first ones, and the last */
};

static uint32_t column_at(const struct lineup_table *p, uint32_t i)
{
	return i + 1 == p->n_shown ? p->s->n_columns - 1 : i;
}

static void put_seconds(const struct lineup_table *p, double s)
{
	char text[EP_NUMBER_BYTES];

	ep_format_seconds(text, s);
	ep_put_right(&p->layout, text, TIME_COLUMNS);
}

static void put_numbers(const struct lineup_table *p)
{
	char text[16];

	for (uint32_t i = 0; i < p->n_shown; i++) {
		snprintf(text, sizeof(text), "%u", column_at(p, i) + 1);
		ep_put_right(&p->layout, text, TIME_COLUMNS);
	}
}

static void put_runs(const struct lineup_table *p)
{
	for (uint32_t k = 0; k < p->s->n_columns; k++) {
		const struct ep_lineup_column *c = &p->s->columns[k];
		char text[2048], more[48] = "";

		if (c->n_runs > 1)
			snprintf(more, sizeof(more), " (the first of %u runs)", c->n_runs);
		snprintf(text, sizeof(text), "%s%s: %s, on %s", c->report->trace_path, more,
			c->report->command, c->report->hosts);
		fprintf(p->layout.out, "  %2u  ", k + 1);
		ep_put_wrapped(&p->layout, text, 6);
	}
}

/* ---- the whole run ---- */

static void format_workers(const struct ep_lineup_column *c, char *out)
{
	snprintf(out, EP_NUMBER_BYTES, "%u", c->n_workers);
}

static void format_clock(const struct ep_lineup_column *c, char *out)
{
	double clock_s = ep_shown_s(c->report);

	if (isnan(clock_s) || c->report->is_simulated)
		snprintf(out, EP_NUMBER_BYTES, "?");
	else
		ep_format_seconds(out, clock_s);
}

static void format_cpu(const struct ep_lineup_column *c, char *out)
{
	if (c->report->is_simulated)
		snprintf(out, EP_NUMBER_BYTES, "?");
	else
		ep_format_seconds(out, (double)c->report->cpu_ns / 1e9);
}

static void format_estimate(const struct ep_lineup_column *c, char *out)
{
	ep_format_seconds(out, (double)c->report->sampled_ns / 1e9);
}

static void format_speedup(const struct ep_lineup_column *c, char *out)
{
	out[0] = '\0';
	if (!isnan(c->speedup))
		snprintf(out, EP_NUMBER_BYTES, "%.2f", c->speedup);
}

static void format_efficiency(const struct ep_lineup_column *c, char *out)
{
	out[0] = '\0';
	if (!isnan(c->efficiency))
		snprintf(out, EP_NUMBER_BYTES, "%.0f %%", 100 * c->efficiency);
}

struct whole_row {
	const char *label;
	/* out has EP_NUMBER_BYTES */
	void (*format)(const struct ep_lineup_column *column, char *out);
};

static void put_whole_row(const struct lineup_table *p, const struct whole_row *row)
{
	char text[EP_NUMBER_BYTES];

	fputs("  ", p->layout.out);
	ep_put_cell(&p->layout, row->label, p->label_columns - 2);
	for (uint32_t i = 0; i < p->n_shown; i++) {
		row->format(&p->s->columns[column_at(p, i)], text);
		ep_put_right(&p->layout, text, TIME_COLUMNS);
	}
	fputc('\n', p->layout.out);
}

static void put_whole(const struct lineup_table *p)
{
	bool has_clock = p->s->n_simulated < p->s->n_columns;
	bool has_efficiency = has_clock && p->s->is_scaling;
	const struct whole_row rows[] = {
		{ p->s->has_ranks ? "MPI ranks" : "threads", format_workers },
		{ has_clock ? "time on the clock" : NULL, format_clock },
		{ has_clock ? "times as fast as 1" : NULL, format_speedup },
		{ has_efficiency ? "efficiency" : NULL, format_efficiency },
		{ has_clock ? "CPU time" : NULL, format_cpu },
		{ p->s->is_exact ? "estimated time" : NULL, format_estimate },
	};

	ep_put_heading(&p->layout, "As a whole",
		has_efficiency   ? "efficiency: of each thread or rank, beside the first run's"
		: p->s->is_exact ? "CPU time by callgrind's estimate, a cycle for a nanosecond"
				 : NULL);
	fprintf(p->layout.out, "%*s", (int)p->label_columns, "");
	put_numbers(p);
	fputc('\n', p->layout.out);
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		if (rows[i].label)
			put_whole_row(p, &rows[i]);
}

/* ---- rows ---- */

static double most_ns(const struct lineup_table *p)
{
	double most = 0;

	for (uint32_t k = 0; k < p->s->n_columns; k++)
		most = fmax(most, (double)p->s->columns[k].report->sampled_ns);
	return most;
}

static bool is_shown(const struct lineup_table *p, uint32_t i)
{
	double most = 0;

	for (uint32_t k = 0; k < p->s->n_columns; k++)
		most = fmax(most, p->s->rows[i].ns[k]);
	return !p->what->top || (i < p->what->top && most >= LEAST_SHOWN * most_ns(p));
}

/* Returns whether the last time surely is larger ('+') or smaller ('-') than the first; a blank: the change may be
 * chance. */
static char mark_of(const struct lineup_table *p, const struct ep_lineup_row *row)
{
	double change = ep_lineup_change(p->s, row);

	if (!(fabs(change) > row->least_sure))
		return ' ';
	return change > 0 ? '+' : '-';
}

static void put_row(const struct lineup_table *p, const struct ep_lineup_row *row)
{
	char mark = mark_of(p, row);
	uint32_t taken = p->n_shown * TIME_COLUMNS + 5;
	uint32_t columns = p->layout.width > taken + 8 ? p->layout.width - taken : 8;
	const struct ep_compared_place place = { row->name, row->was, row->file, row->was_file,
		row->line, row->was_line, false };
	char text[2400];

	ep_compare_format_place(&p->layout, &place, columns, text, sizeof(text));
	for (uint32_t i = 0; i < p->n_shown; i++)
		put_seconds(p, row->ns[column_at(p, i)] / 1e9);
	fprintf(p->layout.out, " %c  ", mark);
	ep_put_cells(&p->layout, (struct ep_cell[]){ { text, columns } }, 1);
}

static const char *const titles[] = {
	[EP_BY_PROCEDURES] = "procedure",
	[EP_BY_LINES] = "line, in procedure",
	[EP_BY_MODULES] = "file",
	[EP_BY_LOOPS] = "loop, in procedure",
};

static void put_rows(const struct lineup_table *p)
{
	uint32_t n_hidden = 0;
	bool has_marks = false;
	char text[64];

	ep_put_heading(&p->layout, "Where the CPU time changed",
		"self; sorted by the change from the first run to the last");
	put_numbers(p);
	fprintf(p->layout.out, "    %s\n", titles[p->s->by]);
	for (uint32_t i = 0; i < p->s->n_rows; i++) {
		if (!is_shown(p, i)) {
			n_hidden++;
			continue;
		}
		put_row(p, &p->s->rows[i]);
		has_marks |= mark_of(p, &p->s->rows[i]) != ' ';
	}
	if (has_marks)
		ep_put_remark(
			&p->layout, "+ and -: the last surely took more than the first, or less");
	if (!n_hidden)
		return;
	snprintf(text, sizeof(text), "%u more: --top 0 shows all", n_hidden);
	ep_put_remark(&p->layout, text);
}

/* ---- what explains it ---- */

static void put_explaining(const struct lineup_table *p, const struct ep_lineup_row *row,
	const struct ep_compared_value *value)
{
	uint32_t taken = p->n_shown * TIME_COLUMNS + 5;
	char name[512];

	for (uint32_t i = 0; i < p->n_shown; i++) {
		const struct ep_quantity *number =
			ep_lineup_value(p->s, row, value, column_at(p, i));
		char text[EP_NUMBER_BYTES] = "-";

		if (number)
			ep_compared_number_format(text, value, number->value);
		ep_put_right(&p->layout, text, TIME_COLUMNS);
	}
	ep_compared_value_describe(value, name, sizeof(name));
	fputs("     ", p->layout.out);
	ep_put_cells(&p->layout,
		(struct ep_cell[]){
			{ name, p->layout.width > taken + 8 ? p->layout.width - taken : 8 } },
		1);
}

static void put_explained(const struct lineup_table *p)
{
	bool is_first = true;

	for (uint32_t i = 0; i < p->s->n_rows; i++) {
		const struct ep_lineup_row *row = &p->s->rows[i];
		const struct ep_place_counts *place = ep_lineup_explaining(p->s, row);
		char name[256];

		if (!place || !place->n_explaining || !is_shown(p, i))
			continue;
		if (is_first) {
			ep_put_heading(&p->layout, "What explains it",
				"counts of these places themselves whose difference between the first and the last is certain");
			put_numbers(p);
			fputc('\n', p->layout.out);
		}
		is_first = false;
		ep_shorten_name(&p->layout, row->name, 60, name, sizeof(name));
		fputs("  ", p->layout.out);
		ep_put_wrapped(&p->layout, name, 4);
		for (uint32_t v = 0; v < place->n_explaining; v++)
			put_explaining(p, row, &place->values[place->explaining[v]]);
	}
}

static void put_selection(const struct lineup_table *p)
{
	const char *selection = p->s->columns[0].report->selection;

	if (!selection)
		return;
	fputs("  of each ", p->layout.out);
	ep_put_wrapped(&p->layout, selection, 10);
}

static void put_in_short(const struct lineup_table *p)
{
	ep_put_heading(&p->layout, "In short", NULL);
	for (uint32_t i = 0; i < p->s->n_in_short; i++) {
		fputs("  - ", p->layout.out);
		ep_put_wrapped(&p->layout, p->s->in_short[i], 4);
	}
}

int ep_lineup_print_text(const struct ep_lineup_page *page, FILE *out)
{
	const struct ep_view_options *look = &page->options;
	uint32_t room = look->width > LABEL_COLUMNS + 2 * TIME_COLUMNS
				? (look->width - LABEL_COLUMNS) / TIME_COLUMNS
				: 2;
	struct lineup_table p = {
		.layout = { out, look->width, look->utf8, look->colour },
		.s = page->series,
		.what = page,
		.label_columns = room > 2 ? LABEL_COLUMNS : LABEL_COLUMNS_LEAST,
		.n_shown = page->series->n_columns < room ? page->series->n_columns : room,
	};

	ep_put_bold(&p.layout, "evreport compare");
	fputc('\n', out);
	put_runs(&p);
	put_selection(&p);
	put_in_short(&p);
	put_whole(&p);
	put_rows(&p);
	put_explained(&p);
	if (p.n_shown < p.s->n_columns)
		ep_put_remark(
			&p.layout, "A wider terminal, or --format json, shows the columns between");
	return 0;
}

/* ---- JSON ---- */

#define SCHEMA "evprof-series-1"

static struct json_object *column_json(const struct ep_lineup *s, const struct ep_lineup_column *c)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "trace", ep_json_text(c->report->trace_path));
	json_object_object_add(object, "command", ep_json_text(c->report->command));
	json_object_object_add(object, "hosts", ep_json_text(c->report->hosts));
	json_object_object_add(object, "runs", json_object_new_uint64(c->n_runs));
	json_object_object_add(
		object, s->has_ranks ? "ranks" : "threads", json_object_new_uint64(c->n_workers));
	json_object_object_add(
		object, "simulated", json_object_new_boolean(c->report->is_simulated));
	ep_json_set_number(object, "duration_s", ep_shown_s(c->report));
	ep_json_set_number(object, "cpu_s", (double)c->report->cpu_ns / 1e9);
	ep_json_set_number(object, "speedup", c->speedup);
	ep_json_set_number(object, "efficiency", c->efficiency);
	return object;
}

static struct json_object *row_json(const struct ep_lineup *s, const struct ep_lineup_row *row)
{
	struct json_object *object = json_object_new_object(), *times = json_object_new_array();

	json_object_object_add(object, "name", ep_json_text(row->name));
	json_object_object_add(object, "was", ep_json_text(row->was));
	json_object_object_add(object, "module", ep_json_text(row->module_name));
	json_object_object_add(object, "file", ep_json_text(row->file));
	json_object_object_add(object, "line", row->line ? json_object_new_int64(row->line) : NULL);
	json_object_object_add(object, "was_file", ep_json_text(row->was_file));
	json_object_object_add(
		object, "was_line", row->was_line ? json_object_new_int64(row->was_line) : NULL);
	for (uint32_t k = 0; k < s->n_columns; k++)
		json_object_array_add(times, json_object_new_double(row->ns[k] / 1e9));
	json_object_object_add(object, "times_s", times);
	ep_json_set_number(object, "change_s", ep_lineup_change(s, row) / 1e9);
	ep_json_set_number(object, "change_error_s", sqrt(row->last_variance) / 1e9);
	json_object_object_add(object, "explained_by", ep_lineup_explaining_json(s, row));
	return object;
}

int ep_lineup_print_json(const struct ep_lineup_page *page, FILE *out)
{
	const struct ep_lineup *s = page->series;
	struct json_object *root = json_object_new_object(), *columns = json_object_new_array(),
			   *rows = json_object_new_array(), *texts = json_object_new_array();

	for (uint32_t i = 0; i < s->n_in_short; i++)
		json_object_array_add(texts, ep_json_text(s->in_short[i]));
	for (uint32_t k = 0; k < s->n_columns; k++)
		json_object_array_add(columns, column_json(s, &s->columns[k]));
	for (uint32_t i = 0; i < s->n_rows && (!page->top || i < page->top); i++)
		json_object_array_add(rows, row_json(s, &s->rows[i]));
	json_object_object_add(root, "schema", ep_json_text(SCHEMA));
	json_object_object_add(root, "selection", ep_json_text(s->columns[0].report->selection));
	json_object_object_add(root, "in_short", texts);
	json_object_object_add(root, "columns", columns);
	json_object_object_add(root, "rows", rows);
	return ep_json_print(root, JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE, out);
}
