// SPDX-License-Identifier: BSD-3-Clause
/* Prints the page of evreport advise as PerfExpert does: bars for each procedure, then what to try. */
#include <math.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "reporter/advise/advise_view.h"
#include "reporter/advise/bars.h"
#include "reporter/advise/losses.h"
#include "reporter/text/layout.h"
#include "reporter/text/short_names.h"

enum { NAME_WIDTH = 20, VALUE_WIDTH = 7, ERROR_WIDTH = 7, LABEL_WIDTH = 12 };

struct advice_printer {
	const struct ep_advise_page *page;
	struct ep_layout layout;
	/* width of the error bars in columns; 0: all values were measured in every slice */
	uint32_t error_width;
	uint32_t run; /* 1 or 2; 0: there is one run */
};

/* ---- bars ---- */

/* Returns how many cells of a bar the line has room for; 10 if there is less room. */
static uint32_t bar_room(const struct advice_printer *p)
{
	uint32_t before = 2 + NAME_WIDTH + VALUE_WIDTH + p->error_width + 2;

	return p->layout.width > before + 10 ? p->layout.width - before : 10;
}

/* Tells whether a bar would be longer than EP_BAR_CELLS, the longest in PerfExpert's paper. */
static bool is_beyond(const struct advice_printer *p, double lcpi)
{
	return 10 * lcpi > (EP_BAR_CELLS + 0.5) * p->page->assessments->threshold;
}

static void put_bar(const struct advice_printer *p, double lcpi)
{
	uint32_t n_cells = ep_bar_cells(lcpi, p->page->assessments->threshold);
	uint32_t room = bar_room(p);
	bool is_cut = n_cells > room || is_beyond(p, lcpi);

	n_cells = n_cells < room ? n_cells : room;
	for (uint32_t i = 0; i + is_cut < n_cells; i++)
		fputc('>', p->layout.out);
	if (is_cut)
		fputc('+', p->layout.out);
}

/* Returns the name of missing events. Classes of floating-point instructions have one name, since either all of them
 * are counted or none. */
static const char *missing_events(const struct ep_lcpi *lcpi)
{
	return strncmp(lcpi->subject, "fp-", 3) ? lcpi->subject : "fp-*";
}

static void put_reason(const struct advice_printer *p, const struct ep_lcpi *lcpi)
{
	if (lcpi->broken)
		fprintf(p->layout.out, "not believed: \"%s\" does not hold", lcpi->broken->name);
	else if (lcpi->absence == EP_ABSENT_MISSING && lcpi->subject &&
		 strstr(lcpi->subject, "lat"))
		fprintf(p->layout.out, "%s is not known for this CPU", lcpi->subject);
	else if (lcpi->absence == EP_ABSENT_MISSING && lcpi->subject)
		fprintf(p->layout.out, "%s was not counted", missing_events(lcpi));
	else
		fputs("not known", p->layout.out);
}

/* Puts the error bar: two standard errors, as in all reports. */
static void put_error(const struct advice_printer *p, const struct ep_lcpi *lcpi)
{
	char text[EP_NUMBER_BYTES + 1] = " ";

	if (lcpi->error != 0) /* true for NaN, too */
		ep_format_bar(text + 1, p->layout.utf8, 2 * lcpi->error, 2);
	if (p->error_width)
		ep_put_cell(&p->layout, text, p->error_width);
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
		fputs("  ", p->layout.out);
		put_bar(p, fmax(0, lcpi->value));
	}
	fputc('\n', p->layout.out);
}

/* Puts the Top-Down loss before the bars, since the loss was measured, while the bars are upper bounds. */
static void put_loss(const struct advice_printer *p, const struct ep_assessment *a)
{
	char text[340];
	int at = p->run ? snprintf(text, sizeof(text), "In run %u: ", p->run) : 0;

	if (!a->loss.n_levels)
		return;
	ep_loss_describe(&a->loss, "its", text + at, sizeof(text) - (size_t)at - 1);
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

static void put_labelled(const struct ep_layout *layout, const char *label, const char *text)
{
	if (!*text)
		return;
	fprintf(layout->out, "     %-*s", LABEL_WIDTH - 5, label);
	ep_put_wrapped(layout, text, LABEL_WIDTH);
}

void ep_remedy_print(
	const struct ep_layout *layout, uint32_t number, const struct ep_remedy *remedy)
{
	fprintf(layout->out, "  %u. ", number);
	ep_put_wrapped(layout, remedy->text, 5);
	put_labelled(layout, "where", remedy->when);
	put_labelled(layout, "before", remedy->before);
	put_labelled(layout, "after", remedy->after);
	put_labelled(layout, "gcc", remedy->gcc_flags);
	if (strcmp(remedy->gcc_flags, remedy->clang_flags) != 0)
		put_labelled(layout, "clang", remedy->clang_flags);
}

/* Says how the code accesses data, which is the reason for the order of the remedies. */
static void put_access(const struct advice_printer *p, const struct ep_assessment *a)
{
	static const char *const words[EP_N_ACCESSES] = {
		[EP_ACCESS_CONTIGUOUS] =
			"Its hottest loop goes through memory one element after the other.",
		[EP_ACCESS_VARIABLE] =
			"Its hottest loop goes through memory by a step that is a variable: in strides, unless the step is one element.",
		[EP_ACCESS_STRIDED] =
			"Its hottest loop goes through memory in strides that leave out most of what lies between.",
		[EP_ACCESS_GATHER] =
			"Its hottest loop loads from addresses that other data give: a gather.",
		[EP_ACCESS_LINKED] =
			"Its hottest loop needs each loaded value to know where the next one is."
	};
	const char *text = words[a->row->access];

	if (!text || ep_assessment_worst(a) != EP_CATEGORY_DATA)
		return;
	fputs("  ", p->layout.out);
	ep_put_wrapped(&p->layout, text, 2);
}

static void put_remedies(const struct advice_printer *p, const struct ep_assessment *a)
{
	const struct ep_remedy *remedies[EP_REMEDIES_MOST];
	struct ep_advice_case of = ep_assessment_case(a, p->page->report);

	if (ep_assessment_is_fine(a, p->page->assessments->threshold)) {
		char text[400], of_run[32] = "";

		if (p->run)
			snprintf(of_run, sizeof(of_run), " in run %u", p->run);
		snprintf(text, sizeof(text),
			"This is fine%s: %.2f cycles an instruction, %.2f count as good. Fewer instructions would help.%s",
			of_run, a->overall.value, p->page->assessments->threshold,
			p->page->report->is_simulated ? EP_UNSEEN_BY_SIMULATION : "");
		fputs("  ", p->layout.out);
		ep_put_wrapped(&p->layout, text, 2);
		return;
	}
	uint32_t n = ep_advice_choose(p->page->advice, &of, p->page->n_remedies, remedies);

	put_access(p, a);
	if (n && p->run)
		fprintf(p->layout.out, "  What to try for run %u, the most promising first\n",
			p->run);
	else if (n)
		fputs("  What to try, the most promising first\n", p->layout.out);
	for (uint32_t i = 0; i < n; i++)
		ep_remedy_print(&p->layout, i + 1, remedies[i]);
}

/* ---- the page ---- */

#define MIXED_WORDS                                                                                \
	"Its counts are mixed: it took turns with other procedures within the slices that were measured, so that it is not known which of them caused what. There is no advice for it. A shorter evprof run --period tells longer turns apart."

static const char *title_of(const struct ep_report_row *row)
{
	return row->depth || !row->short_name ? row->name : row->short_name;
}

/* Describes a place as ", most of it at fem.c:212"; for a loop it names the nest: ", in the nest fem.c:208 > 212". */
static void describe_place(const struct ep_report_row *row, char *out, size_t size)
{
	const char *file = row->hot_file ? row->hot_file : row->file;
	uint32_t line = row->hot_file ? row->hot_line : row->line;

	*out = '\0';
	if (row->depth > 1)
		snprintf(out, size, ", in the nest %.120s", row->nest);
	else if (file && !row->depth)
		snprintf(out, size, ", most of it at %.120s:%u", ep_base_name(file), line);
}

static void put_procedure(const struct advice_printer *p, const struct ep_assessment *a)
{
	char time[EP_NUMBER_BYTES], text[256], place[160], of_run[32] = "", title[512];

	ep_format_seconds(time, (double)a->row->self_ns / 1e9);
	if (p->run)
		snprintf(of_run, sizeof(of_run), " of run %u", p->run);
	describe_place(a->row, place, sizeof(place));
	snprintf(text, sizeof(text), "%.1f %% of the CPU time%s (%s)%s", 100 * a->row->self_share,
		of_run, time, place);
	ep_name_fit(title_of(a->row), EP_SPOKEN_WIDTH, "...", title, sizeof(title));
	ep_put_heading(&p->layout, title, text);
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

/* Warns of few samples. The counts of a slice are attributed to the procedure at the slice's end, although other
 * procedures may have run in the slice; with many slices such errors even out. */
static void put_doubt(const struct advice_printer *p)
{
	char text[200];
	uint64_t n = p->page->report->n_samples;

	if (!n || n >= FEW_SAMPLES || p->page->report->is_exact)
		return;
	snprintf(text, sizeof(text),
		"%sonly %u: what procedures counted that ran in turns is mixed. A longer run helps, or a shorter evprof run --period.",
		p->run == 2   ? "in run 2 "
		: p->run == 1 ? "in run 1 "
			      : "",
		(unsigned)n);
	fputs("  Samples   ", p->layout.out);
	ep_put_wrapped(&p->layout, text, LABEL_WIDTH);
}

#define BARS_WORDS                                                                                 \
	"cycles per instruction of the procedure itself. What it did costs at most so many: the CPU hides a part by doing several things at once, so that they do not add up. A long bar is a possible cause, a short one is none."
#define TWO_RUNS_WORDS                                                                             \
	" In bars of two runs > stands for the cycles that both runs need, 1 or 2 for those that only that run needs."

static void put_preface(const struct advice_printer *p)
{
	const struct ep_formula_file *model = ep_model_file(p->page->assessments->models.models[0]);
	char measured[320];

	fputs("  Model     ", p->layout.out);
	ep_put_wrapped(&p->layout, model->title ? model->title : "LCPI", LABEL_WIDTH);
	fputs("  Bars      ", p->layout.out);
	ep_put_wrapped(&p->layout, p->run ? BARS_WORDS TWO_RUNS_WORDS : BARS_WORDS, LABEL_WIDTH);
	if (model->note) {
		fputs("  Note      ", p->layout.out);
		ep_put_wrapped(&p->layout, model->note, LABEL_WIDTH);
	}
	if (ep_formula_file_describe_measured(model, measured, sizeof(measured))) {
		fputs("  Cycles    ", p->layout.out);
		ep_put_wrapped(&p->layout, measured, LABEL_WIDTH);
	}
	if (p->page->report->is_exact || p->page->report->is_simulated) {
		fputs("  Time      ", p->layout.out);
		ep_put_wrapped(&p->layout,
			p->page->report->is_exact
				? "callgrind's estimate of cycles, a cycle for a nanosecond: exact, and not what the run took."
				: "the simulator's, many times what the program takes outside of it.",
			LABEL_WIDTH);
	}
	put_doubt(p);
}

static void put_selection(const struct advice_printer *p)
{
	if (!p->page->report->selection)
		return;
	fputs("  Shown     ", p->layout.out);
	ep_put_wrapped(&p->layout, p->page->report->selection, LABEL_WIDTH);
}

static int print_one(const struct advice_printer *p)
{
	fprintf(p->layout.out, "evreport advise  %s\n", p->page->report->trace_path);
	put_selection(p);
	put_preface(p);
	for (uint32_t i = 0; i < p->page->assessments->n_items; i++)
		put_procedure(p, &p->page->assessments->items[i]);
	return 0;
}

/* ---- two runs ---- */

/* Returns the width of the bar in a line that compares two runs: the room that is left, at least 10 cells. */
static uint32_t two_bars_room(const struct advice_printer *p)
{
	uint32_t before = 2 + NAME_WIDTH + 2 * (VALUE_WIDTH + p->error_width) + 2;

	return p->layout.width > before + 10 ? p->layout.width - before : 10;
}

static void put_two_bars(const struct advice_printer runs[2], const struct ep_lcpi *const of[2])
{
	uint32_t cells[2], room = two_bars_room(runs);
	char bar[EP_BAR_CELLS + 1];
	bool is_cut = false;

	for (int i = 0; i < 2; i++) {
		double value = fmax(0, of[i]->value);

		cells[i] = ep_bar_cells(value, runs[i].page->assessments->threshold);
		is_cut = is_cut || cells[i] > room || is_beyond(&runs[i], value);
	}
	ep_bar_draw_two(cells[0], cells[1], bar);
	if (strlen(bar) > room)
		bar[room] = '\0';
	if (is_cut)
		bar[strlen(bar) - 1] = '+';
	fputs(bar, runs->layout.out);
}

static void put_two_reasons(const struct advice_printer runs[2], const struct ep_lcpi *const of[2])
{
	int at = !of[0]->absence;

	put_reason(&runs[at], of[at]);
	if (!of[0]->absence || !of[1]->absence)
		fprintf(runs->layout.out, " (run %u)", runs[at].run);
}

static void put_two_line(
	const struct advice_printer runs[2], const char *name, const struct ep_lcpi *const of[2])
{
	FILE *out = runs->layout.out;

	fprintf(out, "  %-*s", NAME_WIDTH, name);
	for (int i = 0; i < 2; i++) {
		if (of[i]->absence) {
			fprintf(out, "%*s%*s", VALUE_WIDTH, "-", (int)runs->error_width, "");
			continue;
		}
		fprintf(out, "%*.2f", VALUE_WIDTH, of[i]->value);
		put_error(runs, of[i]);
	}
	fputs("  ", out);
	if (of[0]->absence || of[1]->absence)
		put_two_reasons(runs, of);
	else
		put_two_bars(runs, of);
	fputc('\n', out);
}

static void put_two_tables(
	const struct advice_printer runs[2], const struct ep_assessment *const of[2])
{
	const struct ep_lcpi *lines[2] = { &of[0]->overall, &of[1]->overall };
	int error_width = (int)runs->error_width;

	fprintf(runs->layout.out, "  %-*s%*s%*s%*s%*s  %.*s\n", NAME_WIDTH, "cycles", VALUE_WIDTH,
		"run 1", error_width, "", VALUE_WIDTH, "run 2", error_width, "",
		(int)two_bars_room(runs), ep_bar_header);
	put_two_line(runs, "overall", lines);
	fputs("  at most, by what may have caused them\n", runs->layout.out);
	for (int c = 0; c < EP_N_CATEGORIES; c++) {
		lines[0] = &of[0]->categories[c];
		lines[1] = &of[1]->categories[c];
		put_two_line(runs, ep_category_name((enum ep_category)c), lines);
	}
}

/* Returns how bad an assessment is: its cycles per instruction as a multiple of the threshold, and 1 more if it is
 * not fine; 0: not known. */
static double badness(const struct advice_printer *p, const struct ep_assessment *a)
{
	double threshold = p->page->assessments->threshold;

	if (a->overall.absence)
		return 0;
	return a->overall.value / threshold + !ep_assessment_is_fine(a, threshold);
}

static void format_title(char *out, size_t size, const struct ep_assessment *const of[2])
{
	const char *first = title_of(of[0]->row), *second = title_of(of[1]->row);

	if (strcmp(first, second) != 0)
		snprintf(out, size, "%.500s, in run 2 %.500s", first, second);
	else
		snprintf(out, size, "%.1000s", first);
}

static void put_section(
	const struct advice_printer runs[2], const struct ep_assessment *const of[2])
{
	char times[2][EP_NUMBER_BYTES], text[160], title[1100];
	int worse = badness(&runs[1], of[1]) > badness(&runs[0], of[0]);

	for (int i = 0; i < 2; i++)
		ep_format_seconds(times[i], (double)of[i]->row->self_ns / 1e9);
	snprintf(text, sizeof(text), "%.1f %% and %.1f %% of the CPU time (%s and %s)",
		100 * of[0]->row->self_share, 100 * of[1]->row->self_share, times[0], times[1]);
	format_title(title, sizeof(title), of);
	ep_put_heading(&runs->layout, title, text);
	for (int i = 0; i < 2; i++)
		put_loss(&runs[i], of[i]);
	put_two_tables(runs, of);
	put_remedies(&runs[worse], of[worse]);
}

static void put_run(const struct advice_printer *p)
{
	char time[EP_NUMBER_BYTES], text[512];

	ep_format_seconds(time, p->page->report->duration_s);
	snprintf(text, sizeof(text), "%s: %s, %s", p->page->report->trace_path,
		p->page->report->command ? p->page->report->command : "-", time);
	fprintf(p->layout.out, "  Run %u     ", p->run);
	ep_put_wrapped(&p->layout, text, LABEL_WIDTH);
}

static int print_two(struct advice_printer *first)
{
	struct advice_printer runs[2] = { *first, *first };

	runs[1].page = first->page->second;
	for (uint32_t i = 0; i < 2; i++) {
		runs[i].run = i + 1;
		if (has_errors(runs[i].page->assessments))
			runs[0].error_width = runs[1].error_width = ERROR_WIDTH;
	}
	fprintf(first->layout.out, "evreport advise  %s and %s\n", runs[0].page->report->trace_path,
		runs[1].page->report->trace_path);
	for (int i = 0; i < 2; i++)
		put_run(&runs[i]);
	put_selection(&runs[0]);
	put_preface(&runs[0]);
	put_doubt(&runs[1]);
	for (uint32_t i = 0; i < first->page->sections->n_rows; i++) {
		const struct ep_assessment *const *of = first->page->sections->rows[i].of;
		bool is_pair = of[0] && of[1] && !of[0]->is_mixed && !of[1]->is_mixed;

		if (is_pair)
			put_section(runs, of);
		for (int k = 0; !is_pair && k < 2; k++)
			if (of[k])
				put_procedure(&runs[k], of[k]);
	}
	return 0;
}

int ep_advise_print_text(const struct ep_advise_page *page, FILE *out)
{
	struct advice_printer p = {
		.page = page,
		.layout = { out, page->options.width, page->options.utf8, page->options.colour },
		.error_width = has_errors(page->assessments) ? ERROR_WIDTH : 0,
	};

	return page->second ? print_two(&p) : print_one(&p);
}
