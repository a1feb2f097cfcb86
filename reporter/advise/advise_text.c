// SPDX-License-Identifier: BSD-3-Clause
/* PerfExpert's page: bars for each procedure, then what to try. */
#include <math.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/advise/advise_view.h"
#include "reporter/advise/bars.h"
#include "reporter/advise/losses.h"
#include "reporter/text/layout.h"

enum { NAME_WIDTH = 20, VALUE_WIDTH = 7, ERROR_WIDTH = 7, MAX_REMEDIES = 16, LABEL_WIDTH = 12 };

struct advice_printer {
	const struct ep_advise_page *page;
	struct ep_layout layout;
	uint32_t error_width; /* columns of error bars; 0: everything was measured throughout */
};

/* ---- bars ---- */

/* Cells that the line has room for. */
static uint32_t bar_room(const struct advice_printer *p)
{
	uint32_t before = 2 + NAME_WIDTH + VALUE_WIDTH + p->error_width + 2;

	return p->layout.width > before + 10 ? p->layout.width - before : 10;
}

static void put_bar(const struct advice_printer *p, double lcpi)
{
	uint32_t n_cells = ep_bar_cells(lcpi, p->page->assessments->threshold);
	uint32_t room = bar_room(p);
	bool is_cut = n_cells > room ||
		      10 * lcpi > (EP_BAR_CELLS + 0.5) * p->page->assessments->threshold;

	n_cells = n_cells < room ? n_cells : room;
	for (uint32_t i = 0; i + is_cut < n_cells; i++)
		fputc('>', p->layout.out);
	if (is_cut)
		fputc('+', p->layout.out);
}

static void put_reason(const struct advice_printer *p, const struct ep_lcpi *lcpi)
{
	if (lcpi->absence == EP_ABSENT_MISSING && lcpi->subject && strstr(lcpi->subject, "lat"))
		fprintf(p->layout.out, "%s is not known of this CPU", lcpi->subject);
	else if (lcpi->absence == EP_ABSENT_MISSING && lcpi->subject)
		fprintf(p->layout.out, "%s was not counted", lcpi->subject);
	else
		fputs("not known", p->layout.out);
}

/* Two standard errors, as everywhere. */
static void put_error(const struct advice_printer *p, const struct ep_lcpi *lcpi)
{
	const char *sign = p->layout.utf8 ? "\u00b1" : "+-";
	char text[32] = "";

	if (isnan(lcpi->error))
		snprintf(text, sizeof(text), " %s?", sign);
	else if (lcpi->error > 0)
		snprintf(text, sizeof(text), " %s%.2f", sign, 2 * lcpi->error);
	if (p->error_width)
		ep_put_cell(&p->layout, text, p->error_width);
	fputs("  ", p->layout.out);
}

static void put_line(const struct advice_printer *p, const char *name, const struct ep_lcpi *lcpi)
{
	fprintf(p->layout.out, "  %-*s", NAME_WIDTH, name);
	if (lcpi->absence) {
		fprintf(p->layout.out, "%*s%*s  ", VALUE_WIDTH, "-", (int)p->error_width, "");
		put_reason(p, lcpi);
	} else {
		fprintf(p->layout.out, "%*.2f", VALUE_WIDTH, lcpi->value);
		put_error(p, lcpi);
		put_bar(p, fmax(0, lcpi->value));
	}
	fputc('\n', p->layout.out);
}

/* Measured, unlike the bars. */
static void put_loss(const struct advice_printer *p, const struct ep_assessment *a)
{
	char text[320];

	if (!a->loss.n_levels)
		return;
	ep_loss_describe(&a->loss, "its", text, sizeof(text) - 1);
	strcat(text, ".");
	fputs("  ", p->layout.out);
	ep_put_wrapped(&p->layout, text, 2);
}

static void put_bars(const struct advice_printer *p, const struct ep_assessment *a)
{
	fprintf(p->layout.out, "  %-*s%*s%*s  %.*s\n", NAME_WIDTH, "", VALUE_WIDTH, "cycles",
		(int)p->error_width, "", (int)bar_room(p), ep_bar_header);
	put_line(p, "overall", &a->overall);
	fputs("  at most, by what may have caused them\n", p->layout.out);
	for (int i = 0; i < EP_N_CATEGORIES; i++)
		put_line(p, ep_category_name((enum ep_category)i), &a->categories[i]);
}

/* ---- remedies ---- */

static void put_labelled(const struct advice_printer *p, const char *label, const char *text)
{
	if (!*text)
		return;
	fprintf(p->layout.out, "     %-*s", LABEL_WIDTH - 5, label);
	ep_put_wrapped(&p->layout, text, LABEL_WIDTH);
}

static void put_remedy(
	const struct advice_printer *p, uint32_t number, const struct ep_remedy *remedy)
{
	fprintf(p->layout.out, "  %u. ", number);
	ep_put_wrapped(&p->layout, remedy->text, 5);
	put_labelled(p, "where", remedy->when);
	put_labelled(p, "before", remedy->before);
	put_labelled(p, "after", remedy->after);
	put_labelled(p, "gcc", remedy->gcc_flags);
	if (strcmp(remedy->gcc_flags, remedy->clang_flags) != 0)
		put_labelled(p, "clang", remedy->clang_flags);
}

static void put_remedies(const struct advice_printer *p, const struct ep_assessment *a)
{
	const struct ep_remedy *remedies[MAX_REMEDIES];
	uint32_t n = p->page->n_remedies < MAX_REMEDIES ? p->page->n_remedies : MAX_REMEDIES;
	struct ep_advice_case of = ep_assessment_case(a, p->page->report);

	if (ep_assessment_is_fine(a, p->page->assessments->threshold)) {
		char text[160];

		snprintf(text, sizeof(text),
			"This is fine: %.2f cycles an instruction, %.2f count as good. Fewer instructions would help.",
			a->overall.value, p->page->assessments->threshold);
		fputs("  ", p->layout.out);
		ep_put_wrapped(&p->layout, text, 2);
		return;
	}
	n = ep_advice_choose(p->page->advice, &of, n, remedies);
	if (n)
		fputs("  What to try, the most promising first\n", p->layout.out);
	for (uint32_t i = 0; i < n; i++)
		put_remedy(p, i + 1, remedies[i]);
}

/* ---- the page ---- */

#define MIXED_WORDS                                                                                \
	"Its counts are mixed: it took turns with other procedures within the slices that were measured, so that it is not known which of them caused what. There is no advice for it. A shorter evprof run --period tells longer turns apart."

static void put_procedure(const struct advice_printer *p, const struct ep_assessment *a)
{
	char time[EP_NUMBER_BYTES], text[256];
	const char *file = a->row->hot_file ? a->row->hot_file : a->row->file;
	uint32_t line = a->row->hot_file ? a->row->hot_line : a->row->line;

	ep_format_seconds(time, (double)a->row->self_ns / 1e9);
	if (file)
		snprintf(text, sizeof(text), "%.1f %% of the CPU time (%s), most of it at %s:%u",
			100 * a->row->self_share, time,
			strrchr(file, '/') ? strrchr(file, '/') + 1 : file, line);
	else
		snprintf(text, sizeof(text), "%.1f %% of the CPU time (%s)",
			100 * a->row->self_share, time);
	ep_put_heading(&p->layout, a->row->short_name ? a->row->short_name : a->row->name, text);
	if (a->is_mixed) {
		fputs("  ", p->layout.out);
		ep_put_wrapped(&p->layout, MIXED_WORDS, 2);
		return;
	}
	put_loss(p, a);
	put_bars(p, a);
	put_remedies(p, a);
}

static bool has_errors(const struct ep_assessments *assessments)
{
	for (uint32_t i = 0; i < assessments->n_items; i++)
		for (int c = 0; c < EP_N_CATEGORIES; c++)
			if (!assessments->items[i].categories[c].absence &&
				!(assessments->items[i].categories[c].error <= 0))
				return true;
	return false;
}

#define FEW_SAMPLES 100

/* A slice's counts go to the procedure at its end. */
static void put_doubt(const struct advice_printer *p)
{
	char text[200];
	uint64_t n = p->page->report->n_samples;

	if (!n || n >= FEW_SAMPLES || p->page->report->is_exact)
		return;
	snprintf(text, sizeof(text),
		"only %u: what procedures counted that ran in turns is mixed. A longer run helps, or a shorter evprof run --period.",
		(unsigned)n);
	fputs("  Samples   ", p->layout.out);
	ep_put_wrapped(&p->layout, text, LABEL_WIDTH);
}

int ep_advise_print_text(const struct ep_advise_page *page, FILE *out)
{
	struct advice_printer p = {
		.page = page,
		.layout = { out, page->options.width, page->options.utf8, page->options.colour },
		.error_width = has_errors(page->assessments) ? ERROR_WIDTH : 0,
	};
	const struct ep_formula_file *model = ep_model_file(page->assessments->models.models[0]);

	fprintf(out, "evprof advice  %s\n", page->report->trace_path);
	fputs("  Model     ", out);
	ep_put_wrapped(&p.layout, model->title ? model->title : "LCPI", LABEL_WIDTH);
	fputs("  Bars      ", out);
	ep_put_wrapped(&p.layout,
		"cycles per instruction of the procedure itself. What it did costs at most so many: the CPU hides a part by doing several things at once, so that they do not add up. A long bar is a possible cause, a short one is none.",
		LABEL_WIDTH);
	if (model->note) {
		fputs("  Note      ", out);
		ep_put_wrapped(&p.layout, model->note, LABEL_WIDTH);
	}
	put_doubt(&p);
	for (uint32_t i = 0; i < page->assessments->n_items; i++)
		put_procedure(&p, &page->assessments->items[i]);
	return 0;
}
