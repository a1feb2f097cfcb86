// SPDX-License-Identifier: BSD-3-Clause
/* Prints an annotation as text: its source lines, then its instructions with the line of each. */
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/annotate/annotate_private.h"
#include "reporter/text/signs.h"

/* Number of rows without time that are shown before and after a row with time. */
enum { NEAR = 2 };

void ep_annotate_put_cut(
	const struct ep_layout *layout, const char *text, uint32_t room, bool is_hot)
{
	EP_AUTOFREE char *cut = NULL;
	uint32_t n = 0;
	size_t bytes = 0;

	if (ep_text_width(text) > room) {
		while (text[bytes] && n + 1 < room) {
			bytes++;
			while ((text[bytes] & 0xc0) == 0x80)
				bytes++;
			n++;
		}
		cut = strndup(text, bytes);
		if (!cut)
			return;
		text = cut;
	}
	if (is_hot)
		ep_put_bold(layout, text);
	else
		fputs(text, layout->out);
	if (cut)
		fputs(layout->utf8 ? ep_sign_ellipsis(true) : ">", layout->out);
}

void ep_annotate_put_hidden(const struct ep_annotate_text *t, uint32_t n, const char *what)
{
	char text[80];

	if (!n)
		return;
	snprintf(text, sizeof(text), "... %u %s%s without time", n, what, n > 1 ? "s" : "");
	fprintf(t->layout->out, "%*s", (int)t->columns.width + 2, "");
	ep_put_dim(t->layout, text);
	fputc('\n', t->layout->out);
}

void ep_annotate_mark_shown(const bool *has_time, uint32_t n, bool shows_all, bool *out_shown)
{
	for (uint32_t i = 0; i < n; i++) {
		out_shown[i] = shows_all;
		for (uint32_t k = i > NEAR ? i - NEAR : 0; k <= i + NEAR && k < n; k++)
			out_shown[i] |= has_time[k];
	}
}

static void put_head(const struct ep_annotate_text *t)
{
	const struct ep_annotation *annotation = t->annotation;
	const struct ep_report_row *cost = &annotation->cost;
	const char *sign = ep_sign_plus_minus(t->layout->utf8);
	char text[1200], time[EP_NUMBER_BYTES], error[EP_NUMBER_BYTES + 1] = "", shares[160] = "";
	bool is_exact = annotation->report->is_exact;

	fprintf(t->layout->out, "evreport annotate  %s%s\n", t->page->trace_paths[0],
		t->page->trace_paths[1] ? ", ..." : "");
	ep_format_seconds(time, (double)cost->self_ns / 1e9);
	if (!is_exact && cost->n_samples) {
		error[0] = ' ';
		ep_format_bar(error + 1, t->layout->utf8, 196 * cost->self_error, 1);
	}
	if (cost->self_ns)
		snprintf(shares, sizeof(shares), " Shares below are of these %s%s%s.", time,
			is_exact ? "" : "; right 95 times of 100 within ", is_exact ? "" : sign);
	snprintf(text, sizeof(text),
		"%.500s: %s in its code and what is inlined there, %.1f %%%s of the run's CPU time%s%s; %.1f %% with what it calls.%s",
		annotation->target.name, time, 100 * cost->self_share, error,
		t->page->selection ? ", " : "", t->page->selection ? t->page->selection : "",
		100 * cost->total_share, shares);
	fputs("  ", t->layout->out);
	ep_put_wrapped(t->layout, text, 2);
}

static void put_code_remark(const struct ep_annotate_text *t)
{
	static const char *const remarks[] = {
		[EP_CODE_ABSENT] =
			"No instructions: the program's file is not here, is another build now, or does not tell where the procedure ends. --sysroot DIR looks for it below DIR.",
		[EP_CODE_UNREADABLE] =
			"No instructions: this evreport cannot read the instructions of the machine that the program ran on.",
		[EP_CODE_TOO_MUCH] =
			"No instructions: the procedure's symbol claims more than 1 MiB of code.",
		[EP_CODE_NO_CAPSTONE] =
			"No instructions and no loops: this evreport was built without capstone; install libcapstone-dev, then build it again.",
		[EP_CODE_BY_LINE] =
			"No instructions and no loops: the costs that valgrind counted are by source line, since evprof run had no capstone. They are exact.",
		[EP_CODE_SCRIPT] =
			"No instructions and no loops: the procedure is a script's, and an interpreter carries it out.",
		[EP_CODE_AT_RUN_TIME] =
			"No instructions and no source lines: the program made this code as it ran, and no file has it.",
	};
	char text[200];

	if (remarks[t->annotation->code])
		ep_put_remark(t->layout, remarks[t->annotation->code]);
	if (!t->annotation->target.n_others)
		return;
	snprintf(text, sizeof(text),
		"%u more procedure%s this name, with less time: a name with its parameters tells them apart.",
		t->annotation->target.n_others,
		t->annotation->target.n_others > 1 ? "s have" : " has");
	ep_put_remark(t->layout, text);
}

static void put_source_remark(const struct ep_annotate_text *t, const struct ep_source_file *source)
{
	char text[4400];

	if (source->state == EP_SOURCE_FOUND)
		return;
	snprintf(text, sizeof(text),
		source->state == EP_SOURCE_NEWER
			? "%s was written after the run began: its lines may not be those that ran."
			: "%s is not here: its lines are numbers alone. --sysroot DIR looks for it below DIR.",
		source->path);
	ep_put_remark(t->layout, text);
}

static bool has_lines(const struct ep_annotation *annotation)
{
	for (uint32_t i = 0; i < annotation->n_lines; i++)
		if (annotation->lines[i].line)
			return true;
	return false;
}

static void put_remarks(const struct ep_annotate_text *t)
{
	const struct ep_sources *sources = &t->annotation->sources;

	fputc('\n', t->layout->out);
	put_code_remark(t);
	if (!has_lines(t->annotation) && t->annotation->code == EP_CODE_SHOWN)
		ep_put_remark(t->layout,
			"No source lines: the program has no line information for this code. Compiled with -g (optimisation may stay on) it has.");
	for (uint32_t i = 0; i < sources->n_rows; i++)
		put_source_remark(t, &sources->rows[i]);
}

int ep_annotate_print_text(const struct ep_annotate_page *page)
{
	struct ep_annotate_text t = { page, page->annotation, &page->layout, { 0 } };
	int rc = 0;

	ep_cost_columns_choose(&t.columns, page);
	put_head(&t);
	if (has_lines(t.annotation))
		rc = ep_annotate_put_source(&t);
	if (!rc)
		ep_annotate_put_mix(&t);
	if (!rc && t.annotation->n_instructions)
		rc = ep_annotate_put_instructions(&t);
	put_remarks(&t);
	return rc;
}
