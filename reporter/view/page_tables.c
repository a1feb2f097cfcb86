// SPDX-License-Identifier: BSD-3-Clause
/* Prints the tables of procedures, lines and modules, and the call tree. */
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/text/signs.h"
#include "reporter/view/page.h"

#define COST_COLUMNS 30 /* width of "  ", time, self, total and "  " */
#define ERROR_COLUMNS 7 /* width of what ep_page_put_error prints */
#define SHARE_COLUMNS 8 /* width of what ep_page_put_percent prints */

static void put_cost(const struct ep_page *page, const struct ep_report_row *row, bool has_error,
	bool has_latency)
{
	fputs("  ", page->layout.out);
	ep_page_put_time(page, (double)row->self_ns / 1e9);
	ep_page_put_percent(page, row->self_share);
	if (has_error)
		ep_page_put_error(page, row->self_error);
	ep_page_put_percent(page, row->total_share);
	if (has_latency)
		ep_page_put_percent(page, row->self_latency_share);
	fputs("   ", page->layout.out);
}

#define MAX_NAME 64 /* most columns of a name; a wider column would move the library away */
#define MAX_FILE 20 /* most columns of a file's name; a longer one is cut, its line number is not */
#define ENOUGH_FOR_ALL 90 /* columns of a line; narrower ones have no errors and latencies */

static void format_place(
	const struct ep_page *page, char *out, size_t size, const char *file, uint32_t line)
{
	const char *base = file ? ep_base_name(file) : "", *dots = "";
	int n = (int)strlen(base), keep = n;

	if (n > MAX_FILE) {
		dots = ep_sign_ellipsis(page->layout.utf8);
		keep = MAX_FILE - 2;
	}
	if (line)
		snprintf(out, size, "%.*s%s:%u", keep, base, dots, line);
	else
		snprintf(out, size, "%.*s%s", keep, base, dots);
}

static void format_row_place(
	const struct ep_page *page, char *out, size_t size, const struct ep_report_row *row)
{
	if (row->nest)
		snprintf(out, size, "%s", row->nest);
	else
		format_place(page, out, size, row->hot_file, row->hot_line);
}

/* Widths of the columns name, library and place; 0: the column is left out. */
struct column_widths {
	uint32_t name, module, place;
	bool has_error, has_latency, has_nests;
};

static uint32_t taken(const struct column_widths *w)
{
	return w->name + (w->module ? w->module + 2 : 0) + (w->place ? w->place + 2 : 0);
}

/* Reduces *width by the number of columns by which the table is wider than room, but not below least. */
static void give_way(const struct column_widths *w, uint32_t *width, uint32_t least, uint32_t room)
{
	uint32_t excess = taken(w) > room ? taken(w) - room : 0;

	if (*width > least)
		*width = *width - least > excess ? *width - excess : least;
}

/* Fits the columns to a narrow terminal. All columns get narrower first. If this is not enough, a table of loops loses
 * the library; other tables lose the place, then the library. */
static void shrink(struct column_widths *w, uint32_t room)
{
	/* A nest of loops that is cut does not tell which loop it is. Names of procedures are therefore cut first. */
	if (w->has_nests)
		give_way(w, &w->name, 24, room);
	give_way(w, &w->place, 16, room);
	give_way(w, &w->module, 13, room);
	give_way(w, &w->name, 32, room);
	give_way(w, &w->module, 9, room);
	give_way(w, &w->name, 24, room);
	if (taken(w) > room && w->has_nests)
		w->module = 0;
	if (taken(w) > room && !w->has_nests)
		w->place = 0;
	give_way(w, &w->name, 16, room);
	if (taken(w) > room)
		w->module = 0;
	give_way(w, &w->name, 8, room);
}

static struct column_widths fit_widths(
	const struct ep_page *page, const struct ep_report_table *table)
{
	struct column_widths w = { 20, ep_text_width("library"), 0 };
	uint32_t used = COST_COLUMNS;

	for (uint32_t i = 0; i < table->n_shown; i++) {
		const struct ep_report_row *row = &table->rows[i];
		char place[256], library[256];

		format_row_place(page, place, sizeof(place), row);
		ep_format_library(library, sizeof(library), row->module_name);
		w.module = ep_at_least(w.module, ep_text_width(library));
		w.place = ep_at_least(w.place, ep_text_width(place));
		w.name = ep_at_least(
			w.name, ep_text_width(row->short_name) + (row->is_inlined ? 10 : 0));
		w.has_error |= row->self_error > 0;
		w.has_nests |= row->nest != NULL;
	}
	w.has_error &= page->layout.width >= ENOUGH_FOR_ALL;
	w.name = w.name > MAX_NAME ? MAX_NAME : w.name;
	w.module = w.module > 16 ? 16 : w.module;
	if (w.place)
		w.place = ep_at_least(w.place, ep_text_width("hottest line"));
	w.has_latency = page->report->parallel.is_telling && page->layout.width >= ENOUGH_FOR_ALL;
	used += (w.has_error ? ERROR_COLUMNS : 0) + (w.has_latency ? SHARE_COLUMNS : 0);
	shrink(&w, page->layout.width > used ? page->layout.width - used : 0);
	return w;
}

static void put_callers(const struct ep_page *page, const struct ep_report_row *row)
{
	char name[512];
	uint32_t room = page->layout.width > 40 ? page->layout.width - 24 : 16;

	for (uint32_t i = 0; page->options->callers && i < row->n_callers; i++) {
		ep_shorten_name(&page->layout, row->callers[i].name, room, name, sizeof(name));
		fprintf(page->layout.out, "%10s", "");
		ep_page_put_percent(page, row->callers[i].share);
		fputs(" from ", page->layout.out);
		ep_put_cells(&page->layout, &(struct ep_cell){ name, room }, 1);
	}
}

static void put_row(
	const struct ep_page *page, const struct ep_report_row *row, const struct column_widths *w)
{
	char place[256], library[256], full[1024], name[1024];
	const struct ep_cell cells[] = { { name, w->name }, { library, w->module },
		{ place, w->place } };

	format_row_place(page, place, sizeof(place), row);
	ep_format_library(library, sizeof(library), row->module_name);
	snprintf(full, sizeof(full), "%s%s", row->short_name, row->is_inlined ? " (inlined)" : "");
	ep_shorten_name(&page->layout, full, w->name, name, sizeof(name));
	put_cost(page, row, w->has_error, w->has_latency);
	ep_put_cells(&page->layout, cells, EP_ARRAY_SIZE(cells));
	put_callers(page, row);
}

struct titles {
	const char *name, *place, *rows;
};

static void put_titles(
	const struct ep_page *page, const struct titles *titles, const struct column_widths *w)
{
	const struct ep_cell cells[] = { { titles->name, w->name }, { "library", w->module },
		{ titles->place, w->place } };

	fprintf(page->layout.out, "%11s%8s%*s%8s%*s   ", "", "self",
		w->has_error ? ERROR_COLUMNS : 0, "", "total", w->has_latency ? SHARE_COLUMNS : 0,
		w->has_latency ? "latency" : "");
	ep_put_cells(&page->layout, cells, EP_ARRAY_SIZE(cells));
}

static void put_table(const struct ep_page *page, const struct ep_report_table *table,
	const struct titles *titles)
{
	struct column_widths w = fit_widths(page, table);

	put_titles(page, titles, &w);
	for (uint32_t i = 0; i < table->n_shown; i++)
		put_row(page, &table->rows[i], &w);
	ep_page_put_hidden(page, table->n_rows - table->n_shown, table->hidden_share, titles->rows);
}

/* Says how precise the shares are, with the error of the largest share as the example. */
static void put_precision(const struct ep_page *page, const struct ep_report_row *row)
{
	char text[256], bar[EP_NUMBER_BYTES];

	if (row->self_error <= 0)
		return;
	ep_format_bar(bar, page->layout.utf8, 196 * row->self_error, 1);
	snprintf(text, sizeof(text),
		"Shares come from samples: %.1f %% is right to within %s points in 95 of 100 cases",
		100 * row->self_share, bar);
	ep_put_remark(&page->layout, text);
}

static bool shows_inlined(const struct ep_report_table *table)
{
	for (uint32_t i = 0; i < table->n_shown; i++)
		if (table->rows[i].is_inlined)
			return true;
	return false;
}

/* Tells whether parallel regions are shown. Compilers make a procedure of each: GCC's solve._omp_fn.0, Clang's
 * main.omp_outlined. */
static bool shows_regions(const struct ep_report_table *table)
{
	for (uint32_t i = 0; i < table->n_shown; i++)
		if (strstr(table->rows[i].short_name, "._omp_fn.") ||
			strstr(table->rows[i].short_name, "omp_outlined"))
			return true;
	return false;
}

/* Tells whether levels of a recursion are shown. If a procedure calls itself, callgrind lists the inner call as a
 * procedure of its own, such as sort'2. */
static bool shows_levels(const struct ep_page *page, const struct ep_report_table *table)
{
	for (uint32_t i = 0; page->report->is_exact && i < table->n_shown; i++) {
		const char *level = strrchr(table->rows[i].name, '\'');

		if (level && isdigit((unsigned char)level[1]))
			return true;
	}
	return false;
}

void ep_page_put_procedures(const struct ep_page *page)
{
	const struct ep_report_table *table = &page->report->procedures;

	if (!table->n_rows)
		return;
	ep_put_heading(&page->layout, "Where the time went",
		"self: in the procedure itself; total: with everything it calls");
	put_table(page, table, &(struct titles){ "procedure", "hottest line", "procedure" });
	put_precision(page, &table->rows[0]);
	if (page->report->parallel.is_telling && page->layout.width >= ENOUGH_FOR_ALL)
		ep_put_remark(&page->layout,
			"latency: self of the time that passed, each moment divided among the threads that ran then; what ran alone counts most");
	if (shows_inlined(table))
		ep_put_remark(
			&page->layout, "(inlined): the compiler put its code into its callers");
	if (shows_regions(table))
		ep_put_remark(&page->layout,
			"._omp_fn.N, omp_outlined: a parallel region of the procedure named before it");
	if (shows_levels(page, table))
		ep_put_remark(&page->layout, "'2: the same procedure, called by itself");
}

/* ---- counts of procedures ---- */

enum { COUNT_COLUMNS = 19, MAX_COUNTS = 4, MAX_COUNT_ROWS = 10, COUNT_NAME = 24 };

/* Puts a count with half its 95 % interval, as "~58.4 k ±2.3 %". */
static void put_count(const struct ep_page *page, const struct ep_report_value *value)
{
	const char *sign = ep_sign_plus_minus(page->layout.utf8);
	char text[EP_NUMBER_BYTES], bar[EP_NUMBER_BYTES], count[128];
	const struct ep_quantity *known = &value->count;
	double percent = known->value > 0 ? 196 * known->error / known->value : 0;
	const char *about = value->is_estimate ? "~" : "";

	ep_format_rate(text, known->value);
	ep_format_bar(
		bar, page->layout.utf8, value->is_estimate ? fmax(percent, DBL_MIN) : percent, 1);
	if (!ep_quantity_is_known(known))
		snprintf(count, sizeof(count), "-");
	else if (value->is_mixed)
		snprintf(count, sizeof(count), "%s%.40s mixed", about, text);
	else if (known->state == EP_QUANTITY_ROUGH)
		snprintf(count, sizeof(count), "~%.40s %s?", text, sign);
	else if (known->value <= 0 && known->error > 0) {
		ep_format_rate(text, 1.96 * known->error);
		snprintf(count, sizeof(count), "0 to %.40s", text);
	} else if (percent > 100)
		snprintf(count, sizeof(count), "%s%.40s %s>100 %%", about, text, sign);
	else
		snprintf(count, sizeof(count), "%s%.40s %s %%", about, text, bar);
	ep_put_right(&page->layout, count, COUNT_COLUMNS);
}

/* Puts a count; a count that did not come from samples has no interval. */
static void put_count_of(
	const struct ep_page *page, const struct ep_report_row *row, uint32_t event)
{
	char text[EP_NUMBER_BYTES];

	if (!row->totals || row->n_samples) {
		put_count(page, &row->values[event]);
		return;
	}
	ep_format_count(text, (uint64_t)row->values[event].count.value);
	ep_put_right(&page->layout, text, COUNT_COLUMNS);
}

static bool is_all_exact(const struct ep_report *r)
{
	return r->is_exact && !r->n_not_exact;
}

/* Chooses the first hardware events that have counts, as many as fit into a line. */
static uint32_t choose_events(const struct ep_page *page, uint32_t chosen[MAX_COUNTS])
{
	const struct ep_report *r = page->report;
	uint32_t room =
		page->layout.width > 2 + COUNT_NAME ? page->layout.width - 2 - COUNT_NAME : 0;
	uint32_t n = 0;

	for (uint32_t e = 0; e < r->n_events && n < MAX_COUNTS; e++)
		if (!r->events[e].software && ep_quantity_or(&r->events[e].total.count, 0) > 0 &&
			(n + 1) * COUNT_COLUMNS <= room)
			chosen[n++] = e;
	return n;
}

void ep_page_put_counts(const struct ep_page *page)
{
	const struct ep_report *r = page->report;
	uint32_t chosen[MAX_COUNTS], n = choose_events(page, chosen);
	uint32_t n_rows =
		r->procedures.n_shown < MAX_COUNT_ROWS ? r->procedures.n_shown : MAX_COUNT_ROWS;
	bool has_mixed = false;

	if (!n || !n_rows || (!r->n_samples && !r->is_exact))
		return;
	ep_put_heading(&page->layout, "What it counted there",
		is_all_exact(r) ? "in the procedure itself; exact"
				: "in the procedure itself; the interval holds 95 times of 100");
	fprintf(page->layout.out, "  %-*s", COUNT_NAME, "procedure");
	for (uint32_t i = 0; i < n; i++) {
		fputs("   ", page->layout.out);
		ep_put_right_cell(&page->layout, r->events[chosen[i]].name, COUNT_COLUMNS - 3);
	}
	fputc('\n', page->layout.out);
	for (uint32_t row = 0; row < n_rows; row++) {
		if (!r->procedures.rows[row].n_samples && !r->procedures.rows[row].totals)
			continue;
		fputs("  ", page->layout.out);
		ep_put_name(&page->layout, r->procedures.rows[row].short_name, COUNT_NAME);
		for (uint32_t i = 0; i < n; i++) {
			put_count_of(page, &r->procedures.rows[row], chosen[i]);
			has_mixed |= r->procedures.rows[row].values[chosen[i]].is_mixed;
		}
		fputc('\n', page->layout.out);
	}
	if (has_mixed)
		ep_put_remark(&page->layout,
			"mixed: other procedures ran in the same slices; any part of these counts may be theirs");
}

/* ---- lines and modules ---- */

void ep_page_put_lines(const struct ep_page *page)
{
	if (!page->report->lines.n_rows)
		return;
	ep_put_heading(
		&page->layout, "Time by source line", "total: with the calls made on the line");
	put_table(page, &page->report->lines, &(struct titles){ "in procedure", "line", "line" });
}

void ep_page_put_loops(const struct ep_page *page)
{
	if (!page->report->loops.n_rows)
		return;
	ep_put_heading(&page->layout, "Time by loop",
		"self: without the loops inside; total: with them and all that is called");
	put_table(page, &page->report->loops, &(struct titles){ "in procedure", "loop", "loop" });
	put_precision(page, &page->report->loops.rows[0]);
	ep_page_put_calls(page);
}

void ep_page_put_modules(const struct ep_page *page)
{
	const struct ep_report_table *table = &page->report->modules;
	uint32_t room =
		page->layout.width > COST_COLUMNS + 10 ? page->layout.width - COST_COLUMNS : 10;

	if (!table->n_rows)
		return;
	ep_put_heading(&page->layout, "By program and library", NULL);
	fprintf(page->layout.out, "%11s%8s%8s   file\n", "", "self", "total");
	for (uint32_t i = 0; i < table->n_shown; i++) {
		const struct ep_report_row *row = &table->rows[i];
		const char *name = row->module[0] ? row->module : row->short_name;

		put_cost(page, row, false, false);
		ep_put_cells(&page->layout, &(struct ep_cell){ name, room }, 1);
	}
	ep_page_put_hidden(page, table->n_rows - table->n_shown, table->hidden_share, "file");
}

void ep_page_put_languages(const struct ep_page *page)
{
	const struct ep_report_table *table = &page->report->languages;

	if (!table->n_rows)
		return;
	ep_put_heading(&page->layout, "By language",
		"self: in code of it; total: with all that this code calls");
	fprintf(page->layout.out, "%11s%8s%8s   code\n", "", "self", "total");
	for (uint32_t i = 0; i < table->n_rows; i++) {
		put_cost(page, &table->rows[i], false, false);
		fprintf(page->layout.out, "%s\n", table->rows[i].name);
	}
	put_precision(page, &table->rows[0]);
}

/* ---- the call tree ---- */

#define LEAST_NAME 12 /* least columns of a name; deep rows are indented less to keep it */

static void put_call(const struct ep_page *page, const struct ep_report_call *row)
{
	char name[512], through[256] = "", text[800];
	uint32_t width = page->layout.width,
		 most = width > 19 + LEAST_NAME ? width - 19 - LEAST_NAME : 0;
	uint32_t wanted = (width < 60 ? 1 : 2) * row->depth;
	uint32_t indent = wanted < most ? wanted : most, room = width - 19 - indent;
	const char *to = row->n_through < 2 ? ">" : ep_sign_ellipsis(page->layout.utf8);
	const char *called = row->short_name ? row->short_name : row->name;

	ep_shorten_name(&page->layout, called, room, name, sizeof(name));
	if (row->n_through && strcmp(row->through, row->name))
		ep_shorten_name(&page->layout, row->through, room / 2, through, sizeof(through));
	if (through[0])
		snprintf(text, sizeof(text), "%s %s %s", through, to, name);
	else
		snprintf(text, sizeof(text), "%s", name);
	ep_page_put_percent(page, row->total_share);
	if (row->n_calls)
		fprintf(page->layout.out, "%8s", "");
	else
		ep_page_put_percent(page, row->self_share);
	fprintf(page->layout.out, "   %*s", (int)indent, "");
	ep_put_cells(&page->layout, &(struct ep_cell){ text, room }, 1);
}

void ep_page_put_calls(const struct ep_page *page)
{
	const struct ep_report *r = page->report;
	char text[128];

	if (!r->n_calls)
		return;
	snprintf(text, sizeof(text),
		r->is_exact
			? "procedures, and below each what it called itself; of %.0f %% of the time and more"
			: "what called what; a > b: a only called b; calls of %.0f %% of the time and more",
		100 * r->least_call_share);
	ep_put_heading(&page->layout, "How it got there", text);
	fprintf(page->layout.out, "%8s%8s   procedure%s\n", "total", "self",
		page->options->by == EP_BY_LOOPS ? " or loop" : "");
	for (uint32_t i = 0; i < r->n_calls; i++)
		put_call(page, &r->calls[i]);
}
