// SPDX-License-Identifier: BSD-3-Clause
/* Prints the source lines of an annotation, procedure by procedure. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/annotate/annotate_private.h"

/* The lines of one procedure in one file, and all lines between them. */
struct source_part {
	uint32_t first_row, n_rows; /* indexes into annotation->lines */
	uint32_t first_line, n_lines;
};

static bool is_same_part(const struct ep_annotated_line *a, const struct ep_annotated_line *b)
{
	return a->symbol_idx == b->symbol_idx && a->file == b->file;
}

/* A gap of this many lines separates parts, since lines so far from the others come from macros, or from code
 * that the compiler moved. */
#define FAR 200

static struct source_part part_at(const struct ep_annotation *annotation, uint32_t first)
{
	const struct ep_annotated_line *lines = annotation->lines;
	struct source_part part = { .first_row = first, .n_rows = 1 };

	while (first + part.n_rows < annotation->n_lines &&
		is_same_part(&lines[first], &lines[first + part.n_rows]) && lines[first].line &&
		lines[first + part.n_rows].line - lines[first + part.n_rows - 1].line < FAR)
		part.n_rows++;
	part.first_line = lines[first].line;
	part.n_lines = lines[first + part.n_rows - 1].line - part.first_line + 1;
	return part;
}

/* For each line (n_lines): its row in annotation->lines (EP_NONE: it has no code), its loop, whether it has
 * time, and whether it is shown. */
struct part_rows {
	uint32_t *row_of, *loop_of;
	bool *has_time, *is_shown;
	uint32_t indent; /* number of blanks that all shown lines begin with */
};

static void finish_rows(struct part_rows *rows)
{
	free(rows->row_of);
	free(rows->loop_of);
	free(rows->has_time);
	free(rows->is_shown);
}

/* Returns the loop of a line. A line that stands before a loop in the same file is not part of that loop,
 * even if the compiler moved some of the line's instructions into it. */
static uint32_t loop_at_line(
	const struct ep_annotation *annotation, const struct ep_annotated_line *line)
{
	uint32_t loop = line->loop_idx;

	while (loop != EP_NONE && annotation->loops[loop].file == line->file &&
		line->line < annotation->loops[loop].line)
		loop = annotation->loops[loop].parent_idx;
	return loop;
}

static const char *text_of_line(
	const struct ep_annotate_text *t, const struct source_part *part, uint32_t i)
{
	const char *file = t->annotation->lines[part->first_row].file;

	return ep_sources_line(&t->annotation->sources, file, part->first_line + i);
}

/* Hides lines that have neither code nor a known text. Finds the indentation of all shown lines. */
static void look_at_texts(
	const struct ep_annotate_text *t, const struct source_part *part, struct part_rows *rows)
{
	rows->indent = UINT32_MAX;
	for (uint32_t i = 0; i < part->n_lines; i++) {
		const char *text = rows->is_shown[i] ? text_of_line(t, part, i) : NULL;
		uint32_t indent = text ? (uint32_t)strspn(text, " ") : 0;

		rows->is_shown[i] &= text || rows->row_of[i] != EP_NONE;
		if (text && text[indent] && indent < rows->indent)
			rows->indent = indent;
	}
}

static int fill_rows(
	const struct ep_annotate_text *t, const struct source_part *part, struct part_rows *out)
{
	const struct ep_annotation *annotation = t->annotation;

	out->row_of = calloc(part->n_lines, sizeof(*out->row_of));
	out->loop_of = calloc(part->n_lines, sizeof(*out->loop_of));
	out->has_time = calloc(part->n_lines, sizeof(*out->has_time));
	out->is_shown = calloc(part->n_lines, sizeof(*out->is_shown));
	if (!out->row_of || !out->loop_of || !out->has_time || !out->is_shown)
		return -ENOMEM;
	for (uint32_t i = 0; i < part->n_lines; i++) {
		out->row_of[i] = EP_NONE;
		out->loop_of[i] = EP_MARGIN_ANY;
	}
	for (uint32_t i = 0; i < part->n_rows; i++) {
		const struct ep_annotated_line *line = &annotation->lines[part->first_row + i];
		uint32_t at = line->line - part->first_line;

		out->row_of[at] = part->first_row + i;
		out->loop_of[at] = loop_at_line(annotation, line);
		out->has_time[at] = ep_annotated_has_time(&line->cost);
	}
	ep_annotate_mark_shown(out->has_time, part->n_lines, t->page->shows_all, out->is_shown);
	look_at_texts(t, part, out);
	return 0;
}

static void put_source_line(const struct ep_annotate_text *t, const struct source_part *part,
	const struct part_rows *rows, const struct ep_margins *margins, uint32_t i)
{
	uint32_t row = rows->row_of[i];
	const struct ep_annotated_line *first = &t->annotation->lines[part->first_row];
	const char *text = text_of_line(t, part, i);
	uint32_t used = t->columns.width + margins->n_columns + 10;
	bool is_hottest = row != EP_NONE && row == t->annotation->hottest_line;

	ep_cost_columns_put(&t->columns, row == EP_NONE ? NULL : &t->annotation->lines[row].cost,
		is_hottest, t->layout);
	ep_margins_put(margins, i, t->layout);
	if (first->line)
		fprintf(t->layout->out, "%5u  ", part->first_line + i);
	if (text && strlen(text) > rows->indent)
		ep_annotate_put_cut(t->layout, text + rows->indent,
			t->layout->width > used + 10 ? t->layout->width - used : 10, is_hottest);
	fputc('\n', t->layout->out);
}

static void put_part_title(const struct ep_annotate_text *t, const struct source_part *part)
{
	const struct ep_annotated_line *first = &t->annotation->lines[part->first_row];
	const struct ep_symbol *symbol = ep_symbols_get(t->page->symbols, first->symbol_idx);
	bool is_own = first->symbol_idx == t->annotation->target.symbol_idx;
	uint32_t used = t->columns.width + 12,
		 room = t->layout->width > used + 20 ? t->layout->width - used : 20;
	char name[400], text[900];

	ep_shorten_name(t->layout, symbol->short_name, room, name, sizeof(name));
	snprintf(text, sizeof(text), "%s%s", is_own ? "" : "inlined: ", name);
	if (first->file)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "  %.400s",
			ep_text_width(text) + 2 + ep_text_width(first->file) <= room
				? first->file
				: ep_base_name(first->file));
	fprintf(t->layout->out, "%*s", (int)t->columns.width + 2, "");
	ep_put_dim(t->layout, text);
	fputc('\n', t->layout->out);
}

static int put_part(const struct ep_annotate_text *t, const struct source_part *part)
{
	__attribute__((cleanup(finish_rows))) struct part_rows rows = { 0 };
	__attribute__((cleanup(ep_margins_finish))) struct ep_margins margins = { 0 };
	uint32_t n_hidden = 0;

	if (fill_rows(t, part, &rows) ||
		ep_margins_create(t->annotation, rows.loop_of, part->n_lines, &margins))
		return -ENOMEM;
	put_part_title(t, part);
	for (uint32_t i = 0; i < part->n_lines; i++) {
		if (!rows.is_shown[i]) {
			n_hidden++;
			continue;
		}
		ep_annotate_put_hidden(t, n_hidden, "line");
		n_hidden = 0;
		put_source_line(t, part, &rows, &margins, i);
	}
	ep_annotate_put_hidden(t, n_hidden, "line");
	return 0;
}

static bool part_has_time(const struct ep_annotation *annotation, const struct source_part *part)
{
	for (uint32_t i = 0; i < part->n_rows; i++)
		if (ep_annotated_has_time(&annotation->lines[part->first_row + i].cost))
			return true;
	return false;
}

int ep_annotate_put_source(const struct ep_annotate_text *t)
{
	const struct ep_annotation *annotation = t->annotation;
	struct source_part part;

	ep_put_heading(t->layout, "Source lines",
		"total: with what the line calls and what is inlined there, where that is more");
	ep_cost_columns_put_titles(&t->columns, "line", t->layout);
	for (uint32_t i = 0; i < annotation->n_lines; i += part.n_rows) {
		part = part_at(annotation, i);
		if ((part_has_time(annotation, &part) || t->page->shows_all) && put_part(t, &part))
			return -ENOMEM;
	}
	return 0;
}
