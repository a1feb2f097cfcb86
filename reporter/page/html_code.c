// SPDX-License-Identifier: BSD-3-Clause
/* Writes source lines and instructions of the hottest procedures: the lines and instructions that have time, and a few
 * around each of these. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/annotate/annotate.h"
#include "reporter/export/json_out.h"
#include "reporter/page/html_private.h"

enum {
	MOST_PROCEDURES = 12,
	MOST_LINES = 400,        /* for one procedure */
	MOST_INSTRUCTIONS = 600, /* for one procedure */
	LINES_AROUND = 4,
	INSTRUCTIONS_AROUND = 6,
	LONGEST_TEXT = 200, /* bytes of a line's or an instruction's text */
};

/* The page shows no code of a procedure whose own time is a smaller share of the CPU time. */
#define LEAST_CODE_SHARE 0.005

struct code_page {
	struct ep_html_page *page;
	struct ep_annotation *annotation;
	FILE *out;
};

/* Writes a text, or only its beginning if it is long. A character of several bytes is not cut. */
static void put_cut_text(FILE *out, const char *text)
{
	char cut[LONGEST_TEXT + 1];
	size_t n = strnlen(text, LONGEST_TEXT);

	while (n && ((unsigned char)text[n] & 0xc0) == 0x80) /* byte n continues a character */
		n--;
	memcpy(cut, text, n);
	cut[n] = '\0';
	ep_json_put_text(out, cut);
}

/* ---- lines ---- */

/* The lines of one file and procedure: these are the rows of an annotation from `from` up to, but without, `to`. */
struct line_run {
	const char *file;
	uint32_t from, to;
};

static uint64_t self_of_line(const struct ep_annotation *annotation, const struct line_run *run,
	uint32_t line, uint32_t *out_symbol_idx)
{
	for (uint32_t i = run->from; i < run->to; i++)
		if (annotation->lines[i].line == line) {
			*out_symbol_idx = annotation->lines[i].symbol_idx;
			return annotation->lines[i].cost.self_ns;
		}
	*out_symbol_idx = EP_NONE;
	return 0;
}

static bool is_near_time(
	const struct ep_annotation *annotation, const struct line_run *run, uint32_t line)
{
	for (uint32_t i = run->from; i < run->to; i++) {
		const struct ep_annotated_line *row = &annotation->lines[i];

		if ((row->cost.self_ns || row->cost.total_ns) && row->line <= line + LINES_AROUND &&
			line <= row->line + LINES_AROUND)
			return true;
	}
	return false;
}

/* Writes [line, self in ns, text] for each line with time and the lines near it. The text is null if the source file is
 * not on this machine. Returns the number of lines. */
static uint32_t put_run(struct code_page *c, const struct line_run *run, uint32_t n_before)
{
	const struct ep_annotation *annotation = c->annotation;
	uint32_t first = annotation->lines[run->from].line, n = 0, symbol_idx;
	uint32_t last = annotation->lines[run->to - 1].line + LINES_AROUND;

	for (uint32_t line = first > LINES_AROUND ? first - LINES_AROUND : 1;
		line <= last && n_before + n < MOST_LINES; line++) {
		uint64_t self_ns = self_of_line(annotation, run, line, &symbol_idx);
		const char *text;

		if (!is_near_time(annotation, run, line))
			continue;
		text = ep_sources_line(&c->annotation->sources, run->file, line);
		if (!text && symbol_idx == EP_NONE)
			continue;
		fprintf(c->out, "%s[%" PRIu32 ",%" PRIu64 ",", n++ ? "," : "", line, self_ns);
		if (text)
			put_cut_text(c->out, text);
		else
			fputs("null", c->out);
		fputc(']', c->out);
	}
	return n;
}

static void put_lines(struct code_page *c)
{
	const struct ep_annotation *annotation = c->annotation;
	struct line_run run = { 0 };
	uint32_t n = 0;
	const char *between = "";

	fputs("\"files\":[", c->out);
	while (run.to < annotation->n_lines) {
		const struct ep_annotated_line *first = &annotation->lines[run.to];

		run = (struct line_run){ first->file, run.to, run.to + 1 };
		while (run.to < annotation->n_lines &&
			annotation->lines[run.to].symbol_idx == first->symbol_idx &&
			annotation->lines[run.to].file == first->file)
			run.to++;
		if (!first->file || !first->line)
			continue;
		fprintf(c->out, "%s{\"file\":", between);
		ep_json_put_text(c->out, first->file);
		fputs(",\"procedure\":", c->out);
		ep_json_put_text(
			c->out, ep_symbols_get(c->page->source->symbols, first->symbol_idx)->name);
		fputs(",\"lines\":[", c->out);
		n += put_run(c, &run, n);
		fputs("]}", c->out);
		between = ",\n";
	}
	fputs("]", c->out);
}

/* ---- instructions ---- */

static bool is_instruction_near_time(const struct ep_annotation *annotation, uint32_t idx)
{
	uint32_t from = idx > INSTRUCTIONS_AROUND ? idx - INSTRUCTIONS_AROUND : 0;

	for (uint32_t i = from; i < annotation->n_instructions && i <= idx + INSTRUCTIONS_AROUND;
		i++)
		if (annotation->instructions[i].cost.self_ns)
			return true;
	return false;
}

/* Writes [address, self in ns, text, line] for each instruction with time and the instructions near it. */
static void put_instructions(struct code_page *c)
{
	const struct ep_annotation *annotation = c->annotation;
	uint32_t n = 0;

	fputs(",\n\"instructions\":[", c->out);
	for (uint32_t i = 0; i < annotation->n_instructions && n < MOST_INSTRUCTIONS; i++) {
		const struct ep_annotated_instruction *row = &annotation->instructions[i];
		uint32_t line =
			row->line_idx == EP_NONE ? 0 : annotation->lines[row->line_idx].line;

		if (!is_instruction_near_time(annotation, i))
			continue;
		fprintf(c->out, "%s[\"0x%" PRIx64 "\",%" PRIu64 ",", n++ ? ",\n" : "", row->address,
			row->cost.self_ns);
		put_cut_text(c->out, row->text);
		fprintf(c->out, ",%" PRIu32 "]", line);
	}
	fputc(']', c->out);
}

/* ---- procedures ---- */

static void put_procedure(struct code_page *c, const struct ep_report_row *row)
{
	fputs("{\"name\":", c->out);
	ep_json_put_text(c->out, row->name);
	fputs(",\"module\":", c->out);
	ep_json_put_text(c->out, row->module);
	fprintf(c->out, ",\"self_ns\":%" PRIu64 ",", row->self_ns);
	put_lines(c);
	put_instructions(c);
	fputc('}', c->out);
}

static int put_code_of(struct ep_html_page *page, const struct ep_report_row *row)
{
	const struct ep_page_source *source = page->source;
	__attribute__((cleanup(ep_annotation_finish))) struct ep_annotation annotation = { 0 };
	struct ep_annotate_target target = { .name = row->short_name,
		.symbol_idx = row->symbol_idx };
	struct code_page c = { page, &annotation, page->out };

	if (ep_annotation_create(
		    source->trace, source->symbols, source->report, &target, &annotation))
		return -ENOMEM;
	annotation.sources.sysroot = source->sysroot;
	put_procedure(&c, row);
	return 0;
}

int ep_html_code_put(struct ep_html_page *page)
{
	const struct ep_report_table *table = &page->source->report->procedures;
	uint32_t n = 0;

	fputs("\"code\":", page->out);
	if (page->source->no_source) {
		fputs("null,\n", page->out);
		return 0;
	}
	fputc('[', page->out);
	for (uint32_t i = 0; i < table->n_shown && n < MOST_PROCEDURES; i++) {
		const struct ep_report_row *row = &table->rows[i];

		if (row->self_share < LEAST_CODE_SHARE)
			break;
		if (!ep_report_row_is_place(row))
			continue;
		fputs(n++ ? ",\n" : "", page->out);
		if (put_code_of(page, row))
			return -ENOMEM;
	}
	fputs("],\n", page->out);
	return 0;
}
