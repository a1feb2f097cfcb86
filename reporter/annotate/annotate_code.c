// SPDX-License-Identifier: BSD-3-Clause
/* Prints the instructions of an annotation, with the line of each. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/annotate/annotate_private.h"
#include "reporter/text/short_names.h"
#include "reporter/text/signs.h"

#define MOST_INSTRUCTION_COLUMNS 44

/* Returns the width of the column of instructions. */
static uint32_t instruction_columns(const struct ep_annotation *annotation, const bool *is_shown)
{
	uint32_t most = 12, width = 0;

	for (uint32_t i = 0; i < annotation->n_instructions; i++) {
		if (is_shown[i])
			width = ep_text_width(annotation->instructions[i].text);
		most = width > most ? width : most;
	}
	return most < MOST_INSTRUCTION_COLUMNS ? most : MOST_INSTRUCTION_COLUMNS;
}

static void format_line(const struct ep_annotate_text *t, const struct ep_annotated_line *line,
	char *out, size_t size)
{
	const char *text = ep_sources_line(&t->annotation->sources, line->file, line->line);
	const struct ep_symbol *symbol = ep_symbols_get(t->page->symbols, line->symbol_idx);
	char name[100];
	int n;

	if (!line->line) {
		out[0] = '\0';
		return;
	}
	ep_name_fit(symbol->short_name, 20, ep_sign_ellipsis(t->layout->utf8), name, sizeof(name));
	if (line->symbol_idx == t->annotation->target.symbol_idx)
		n = snprintf(out, size, "%5u  ", line->line);
	else
		n = snprintf(out, size, "%5u  %s: ", line->line, name);
	while (text && *text == ' ')
		text++;
	snprintf(out + n, size - (size_t)n, "%s", text ? text : "");
}

/* The least width of a source line beside its instruction; if there is less room, the line is printed above. */
#define LEAST_BESIDE 24

struct instruction_row {
	uint32_t idx, text_columns;
	bool has_same_line; /* the instruction has the line of the row before */
};

static void put_line_above(const struct ep_annotate_text *t, const struct ep_margins *margins,
	const struct instruction_row *at, const char *line)
{
	uint32_t used = t->columns.width + margins->n_columns + 1;

	fprintf(t->layout->out, "%*s", (int)t->columns.width, "");
	ep_margins_put(margins, at->idx, t->layout);
	ep_annotate_put_cut(t->layout, line,
		t->layout->width > used + 20 ? t->layout->width - used : 20, false);
	fputc('\n', t->layout->out);
}

static void put_instruction(const struct ep_annotate_text *t, const struct ep_margins *margins,
	const struct instruction_row *at)
{
	const struct ep_annotation *annotation = t->annotation;
	const struct ep_annotated_instruction *row = &annotation->instructions[at->idx];
	uint32_t used = t->columns.width + margins->n_columns + at->text_columns + 13;
	uint32_t shown = ep_text_width(row->text);
	bool is_hottest = at->idx == annotation->hottest_instruction;
	bool is_beside = t->layout->width >= used + LEAST_BESIDE;
	char line[4200] = "";

	if (!at->has_same_line)
		format_line(t, &annotation->lines[row->line_idx], line, sizeof(line));
	if (line[0] && !is_beside)
		put_line_above(t, margins, at, line);
	ep_cost_columns_put(&t->columns, &row->cost, is_hottest, t->layout);
	ep_margins_put(margins, at->idx, t->layout);
	fprintf(t->layout->out, "%6" PRIx64 "  ", row->address);
	ep_annotate_put_cut(t->layout, row->text, at->text_columns, is_hottest);
	if (line[0] && is_beside) {
		shown = shown < at->text_columns ? shown : at->text_columns;
		fprintf(t->layout->out, "%*s", (int)(at->text_columns - shown) + 2, "");
		ep_annotate_put_cut(t->layout, line, t->layout->width - used, is_hottest);
	}
	fputc('\n', t->layout->out);
}

static void put_instruction_rows(
	const struct ep_annotate_text *t, const struct ep_margins *margins, const bool *is_shown)
{
	const struct ep_annotation *annotation = t->annotation;
	uint32_t columns = instruction_columns(annotation, is_shown), n_hidden = 0;
	uint32_t last_line = EP_NONE;

	for (uint32_t i = 0; i < annotation->n_instructions; i++) {
		const struct ep_annotated_instruction *row = &annotation->instructions[i];

		if (row->is_first || !is_shown[i])
			last_line = EP_NONE;
		if (!is_shown[i]) {
			n_hidden++;
			continue;
		}
		ep_annotate_put_hidden(t, n_hidden, "instruction");
		if (row->is_first && i && !n_hidden)
			fprintf(t->layout->out, "%*s\n", (int)t->columns.width + 5, "...");
		n_hidden = 0;
		put_instruction(t, margins,
			&(struct instruction_row){ i, columns, last_line == row->line_idx });
		last_line = row->line_idx;
	}
	ep_annotate_put_hidden(t, n_hidden, "instruction");
}

int ep_annotate_put_instructions(const struct ep_annotate_text *t)
{
	const struct ep_annotation *annotation = t->annotation;
	uint32_t n = annotation->n_instructions;
	EP_AUTOFREE uint32_t *loop_of = calloc(n + 1, sizeof(*loop_of));
	EP_AUTOFREE bool *timed = calloc(n + 1, sizeof(*timed));
	EP_AUTOFREE bool *is_shown = calloc(n + 1, sizeof(*is_shown));
	__attribute__((cleanup(ep_margins_finish))) struct ep_margins margins = { 0 };

	if (!loop_of || !timed || !is_shown)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		loop_of[i] = annotation->instructions[i].loop_idx;
		timed[i] = ep_annotated_has_time(&annotation->instructions[i].cost);
	}
	ep_annotate_mark_shown(timed, n, t->page->shows_all, is_shown);
	if (ep_margins_create(annotation, loop_of, n, &margins))
		return -ENOMEM;
	ep_put_heading(t->layout, "Instructions",
		t->annotation->report->is_exact
			? "as callgrind counted them; time is its estimate of cycles"
			: "a sample stands at the instruction that the CPU waited for, or at one just after it");
	ep_cost_columns_put_titles(&t->columns, "address, instruction, line", t->layout);
	put_instruction_rows(t, &margins, is_shown);
	return 0;
}
