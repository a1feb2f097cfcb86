// SPDX-License-Identifier: BSD-3-Clause
/* The text view's tables of procedures, lines and modules, and the call tree. */
#include <string.h>

#include "reporter/report/page.h"

#define COST_COLUMNS 30 /* "  " time, self, total, "  " */

static void put_cost(const struct ep_page *page, const struct ep_report_row *row)
{
	fputs("  ", page->layout.out);
	ep_page_put_time(page, (double)row->self_ns / 1e9);
	ep_page_put_percent(page, row->self_share);
	ep_page_put_percent(page, row->total_share);
	fputs("   ", page->layout.out);
}

#define MAX_NAME 64 /* columns: beyond, the eye loses the line */
#define MAX_FILE 20 /* columns of a file's name: a longer one is cut, its line number is not */

static void format_place(
	const struct ep_page *page, char *out, size_t size, const char *file, uint32_t line)
{
	const char *base = file ? ep_base_name(file) : "", *dots = "";
	int n = (int)strlen(base), keep = n;

	if (n > MAX_FILE) {
		dots = page->layout.utf8 ? "\u2026" : "..";
		keep = MAX_FILE - 2;
	}
	if (line)
		snprintf(out, size, "%.*s%s:%u", keep, base, dots, line);
	else
		snprintf(out, size, "%.*s%s", keep, base, dots);
}

/* Name, library, place: the name takes what the others leave. */
struct widths {
	uint32_t name, module, place;
};

static struct widths fit_widths(const struct ep_page *page, const struct ep_report_table *table)
{
	struct widths w = { 0, ep_text_width("library"), 0 };
	uint32_t room =
		page->layout.width > COST_COLUMNS + 20 ? page->layout.width - COST_COLUMNS - 1 : 20;

	for (uint32_t i = 0; i < table->n_shown; i++) {
		const struct ep_report_row *row = &table->rows[i];
		char place[256];

		format_place(page, place, sizeof(place), row->hot_file, row->hot_line);
		w.module = ep_at_least(w.module, ep_text_width(row->module_name));
		w.place = ep_at_least(w.place, ep_text_width(place));
		w.name = ep_at_least(
			w.name, ep_text_width(row->short_name) + (row->is_inlined ? 10 : 0));
	}
	w.module = w.module > 16 ? 16 : w.module;
	w.place = w.place > MAX_FILE + 8 ? MAX_FILE + 8 : w.place;
	if (w.place)
		w.place = ep_at_least(w.place, ep_text_width("hottest line"));
	if (w.name + w.module + w.place + 4 > room)
		w.name = room > w.module + w.place + 24 ? room - w.module - w.place - 4 : 20;
	w.name = ep_at_least(w.name > MAX_NAME ? MAX_NAME : w.name, 20);
	return w;
}

static void put_name(const struct ep_page *page, const struct ep_report_row *row, uint32_t width)
{
	char text[1024];

	snprintf(text, sizeof(text), "%s%s", row->short_name, row->is_inlined ? " (inlined)" : "");
	ep_put_name(&page->layout, text, width);
}

static void put_callers(const struct ep_page *page, const struct ep_report_row *row)
{
	for (uint32_t i = 0; page->options->callers && i < row->n_callers; i++) {
		fprintf(page->layout.out, "%*s", COST_COLUMNS, "");
		ep_page_put_percent(page, row->callers[i].share);
		fputs(" from ", page->layout.out);
		ep_put_name(&page->layout, row->callers[i].name,
			page->layout.width > COST_COLUMNS + 40
				? page->layout.width - COST_COLUMNS - 16
				: 24);
		fputc('\n', page->layout.out);
	}
}

static void put_row(
	const struct ep_page *page, const struct ep_report_row *row, const struct widths *w)
{
	char place[256];

	format_place(page, place, sizeof(place), row->hot_file, row->hot_line);
	put_cost(page, row);
	put_name(page, row, w->name);
	fputs("  ", page->layout.out);
	ep_put_last(&page->layout, row->module_name, w->module, place, w->place);
	put_callers(page, row);
}

static void put_titles(
	const struct ep_page *page, const char *name, const char *place, const struct widths *w)
{
	fprintf(page->layout.out, "%11s%8s%8s   ", "", "self", "total");
	ep_put_cell(&page->layout, name, w->name);
	fputs("  ", page->layout.out);
	ep_put_last(&page->layout, "library", w->module, w->place ? place : "", w->place);
}

struct titles {
	const char *name, *place, *rows;
};

static void put_table(const struct ep_page *page, const struct ep_report_table *table,
	const struct titles *titles)
{
	struct widths w = fit_widths(page, table);

	put_titles(page, titles->name, titles->place, &w);
	for (uint32_t i = 0; i < table->n_shown; i++)
		put_row(page, &table->rows[i], &w);
	ep_page_put_hidden(page, table->n_rows - table->n_shown, table->hidden_share, titles->rows);
}

/* How good the largest share is, as an interval that holds 95 % of the time. */
static void put_precision(const struct ep_page *page, const struct ep_report_row *row)
{
	if (row->self_error > 0)
		fprintf(page->layout.out, "  Shares come from samples: %.1f %% is good to %s%.1f points\n",
			100 * row->self_share, page->layout.utf8 ? "\u00b1" : "+-",
			196 * row->self_error);
}

void ep_page_put_procedures(const struct ep_page *page)
{
	if (!page->report->procedures.n_rows)
		return;
	ep_put_heading(&page->layout, "Where the time went",
		"self: in the procedure itself; total: with everything it calls");
	put_table(page, &page->report->procedures,
		&(struct titles){ "procedure", "hottest line", "procedure" });
	put_precision(page, &page->report->procedures.rows[0]);
}

void ep_page_put_lines(const struct ep_page *page)
{
	if (!page->report->lines.n_rows)
		return;
	ep_put_heading(
		&page->layout, "Time by source line", "total: with the calls made on the line");
	put_table(page, &page->report->lines, &(struct titles){ "in procedure", "line", "line" });
}

void ep_page_put_modules(const struct ep_page *page)
{
	const struct ep_report_table *table = &page->report->modules;

	if (!table->n_rows)
		return;
	ep_put_heading(&page->layout, "By program and library", NULL);
	fprintf(page->layout.out, "%11s%8s%8s   file\n", "", "self", "total");
	for (uint32_t i = 0; i < table->n_shown; i++) {
		const struct ep_report_row *row = &table->rows[i];

		put_cost(page, row);
		fprintf(page->layout.out, "%s\n", row->module[0] ? row->module : row->short_name);
	}
	ep_page_put_hidden(page, table->n_rows - table->n_shown, table->hidden_share, "file");
}

/* ---- the call tree ---- */

static void put_call(const struct ep_page *page, const struct ep_report_call *row)
{
	char name[512], through[256] = "", text[800];
	uint32_t indent = 2 * row->depth, used = 19 + indent;
	uint32_t room = page->layout.width > used + 20 ? page->layout.width - used : 20;
	const char *to = row->n_through < 2 ? " > " : page->layout.utf8 ? " \u2026 " : " ... ";

	ep_shorten_name(&page->layout, row->name, room, name, sizeof(name));
	if (row->n_through)
		ep_shorten_name(&page->layout, row->through, room / 2, through, sizeof(through));
	snprintf(text, sizeof(text), "%s%s%s", through, row->n_through ? to : "", name);
	ep_page_put_percent(page, row->total_share);
	ep_page_put_percent(page, row->self_share);
	fprintf(page->layout.out, "   %*s", (int)indent, "");
	ep_put_last(&page->layout, text, room, "", 0);
}

void ep_page_put_calls(const struct ep_page *page)
{
	const struct ep_report *r = page->report;

	if (!r->n_calls)
		return;
	ep_put_heading(&page->layout, "How it got there",
		"what called what; calls with 2 % of the time and more");
	fprintf(page->layout.out, "%8s%8s   procedure\n", "total", "self");
	for (uint32_t i = 0; i < r->n_calls; i++)
		put_call(page, &r->calls[i]);
}
