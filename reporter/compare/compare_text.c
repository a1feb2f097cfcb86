// SPDX-License-Identifier: BSD-3-Clause
/* Prints the comparison as text. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "common/cleanup.h"
#include "reporter/compare/compare.h"
#include "reporter/compare/counts.h"
#include "reporter/compare/gate.h"
#include "reporter/compare/place_text.h"
#include "reporter/text/layout.h"
#include "reporter/text/signs.h"

#define LABEL_WIDTH 12
#define TIME_COLUMNS 11
#define ERROR_COLUMNS 10
#define PERCENT_COLUMNS 10
#define LEAST_SHOWN 0.002 /* share of the longer run's CPU time; smaller changes are not shown */

struct page {
	struct ep_layout layout;
	const struct ep_compare_page *what;
	const struct ep_comparison *c;
	bool has_sides, has_error, has_percent; /* the page is wide enough for these columns */
};

/* ---- cells ---- */

static void put_seconds(const struct page *p, double ns)
{
	char text[EP_NUMBER_BYTES];

	ep_format_seconds(text, ns / 1e9);
	ep_put_right(&p->layout, text, TIME_COLUMNS);
}

static void put_signed(const struct page *p, double ns)
{
	char number[EP_NUMBER_BYTES], text[EP_NUMBER_BYTES + 8];
	const char *minus = ep_sign_minus(p->layout.utf8);

	ep_format_seconds(number, fabs(ns) / 1e9);
	snprintf(text, sizeof(text), "%s%s", ns < 0 ? minus : ns > 0 ? "+" : "", number);
	ep_put_right(&p->layout, text, TIME_COLUMNS);
}

void ep_compare_format_times(char *out, size_t size, double ratio)
{
	char count[EP_NUMBER_BYTES];

	if (ratio < 999.5) {
		snprintf(out, size, "%.3g times", ratio);
		return;
	}
	ep_format_count(count, (uint64_t)fmin(round(ratio), 1e18));
	snprintf(out, size, "%s times", count);
}

/* Puts a ratio as "+12.3 %" or "25.4 times". A blank keeps a ratio that is wider than its column apart from
 * the cell before. */
static void put_ratio(const struct page *p, double before, double after)
{
	const char *minus = ep_sign_minus(p->layout.utf8);
	double percent = before > 0 ? 100 * (after / before - 1) : 0;
	char text[EP_NUMBER_BYTES + 8] = "";

	if (before <= 0)
		snprintf(text, sizeof(text), "%s", after > 0 ? "new" : "");
	else if (percent >= 900)
		ep_compare_format_times(text, sizeof(text), after / before);
	else
		snprintf(text, sizeof(text), "%s%.1f %%",
			percent < -0.05  ? minus
			: percent > 0.05 ? "+"
					 : "",
			fabs(percent));
	fputc(' ', p->layout.out);
	ep_put_right(&p->layout, text, PERCENT_COLUMNS - 1);
}

static void put_change(const struct page *p, double before_ns, double after_ns, double variance)
{
	char number[EP_NUMBER_BYTES], text[EP_NUMBER_BYTES + 8];

	if (p->has_sides) {
		put_seconds(p, before_ns);
		put_seconds(p, after_ns);
	}
	put_signed(p, after_ns - before_ns);
	if (p->has_error) {
		ep_format_seconds(number, ep_compare_margin(variance) / 1e9);
		snprintf(text, sizeof(text), "%s%s", ep_sign_plus_minus(p->layout.utf8), number);
		ep_put_right(&p->layout, text, ERROR_COLUMNS);
	}
	if (p->has_percent)
		put_ratio(p, before_ns, after_ns);
	fputs("   ", p->layout.out);
}

static uint32_t change_columns(const struct page *p)
{
	return (p->has_sides ? 3u : 1u) * TIME_COLUMNS + (p->has_error ? ERROR_COLUMNS : 0u) +
	       (p->has_percent ? PERCENT_COLUMNS : 0u) + 3u;
}

static void put_titles(const struct page *p, const char *title)
{
	if (p->has_sides)
		fprintf(p->layout.out, "%*s%*s", TIME_COLUMNS, "before", TIME_COLUMNS, "after");
	fprintf(p->layout.out, "%*s%*s%*s   %s\n", TIME_COLUMNS, "change",
		p->has_error ? ERROR_COLUMNS : 0, "", p->has_percent ? PERCENT_COLUMNS : 0, "",
		title);
}

/* ---- header ---- */

static void put_run(
	const struct page *p, const char *label, const struct ep_report *r, uint32_t n_runs)
{
	char text[2048], when[64] = "unknown time", more[64] = "";
	time_t seconds = (time_t)(r->started_ns / 1000000000);
	struct tm tm;

	if (r->started_ns && localtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S %Z", &tm);
	if (n_runs > 1)
		snprintf(
			more, sizeof(more), " (the first of %u runs; means of all follow)", n_runs);
	snprintf(text, sizeof(text), "%s%s: %s, on %s, %s", r->trace_path, more, r->command,
		r->hosts, when);
	fprintf(p->layout.out, "  %-*s", LABEL_WIDTH - 2, label);
	ep_put_wrapped(&p->layout, text, LABEL_WIDTH);
}

static void put_selection(const struct page *p)
{
	if (!p->c->before->selection)
		return;
	fprintf(p->layout.out, "  %-*s", LABEL_WIDTH - 2, "Shown");
	ep_put_wrapped(&p->layout, p->c->before->selection, LABEL_WIDTH);
}

static void put_sentences(
	const struct page *p, const char *title, const char *const *texts, uint32_t n)
{
	if (!n)
		return;
	ep_put_heading(&p->layout, title, NULL);
	for (uint32_t i = 0; i < n; i++) {
		fputs("  - ", p->layout.out);
		ep_put_wrapped(&p->layout, texts[i], 4);
	}
}

/* ---- tables ---- */

static double longer_ns(const struct page *p)
{
	return fmax((double)p->c->before->sampled_ns, (double)p->c->after->sampled_ns);
}

static bool is_shown(const struct page *p, uint32_t i)
{
	const struct ep_compared_row *row = &p->c->rows[i];

	return !p->what->top ||
	       (i < p->what->top && fabs(ep_compared_change(row)) >= LEAST_SHOWN * longer_ns(p));
}

#define LIBRARY_COLUMNS 14

static void format_place(const struct page *p, const struct ep_compared_row *row, uint32_t columns,
	char *out, size_t size)
{
	const struct ep_compared_place place = { row->name, row->was, row->file, row->was_file,
		row->line, row->was_line, !row->is_after };

	ep_compare_format_place(&p->layout, &place, columns, out, size);
}

static void put_row(const struct page *p, const struct ep_compared_row *row)
{
	uint32_t columns = change_columns(p);
	uint32_t room = p->layout.width > columns + 8 ? p->layout.width - columns : 8;
	bool has_library = room >= 40;
	uint32_t name_columns = has_library ? room - LIBRARY_COLUMNS - 2 : room;
	char name[2400], library[256];

	format_place(p, row, name_columns, name, sizeof(name));
	ep_format_library(library, sizeof(library), row->module_name);
	put_change(p, row->before_ns, row->after_ns, row->variance);
	ep_put_cells(&p->layout,
		(struct ep_cell[]){
			{ name, name_columns }, { library, has_library ? LIBRARY_COLUMNS : 0 } },
		2);
}

static void put_rest(const struct page *p, uint32_t n_rest, double change_ns)
{
	char number[EP_NUMBER_BYTES], text[200];

	if (!n_rest)
		return;
	ep_format_seconds(number, fabs(change_ns) / 1e9);
	snprintf(text, sizeof(text), "%u more, whose changes add up to %s%s: --top 0 shows all",
		n_rest, change_ns < 0 ? ep_sign_minus(p->layout.utf8) : "+", number);
	ep_put_remark(&p->layout, text);
}

static const char *const titles[] = {
	[EP_BY_PROCEDURES] = "procedure",
	[EP_BY_LINES] = "line, in procedure",
	[EP_BY_MODULES] = "file",
	[EP_BY_LOOPS] = "loop, in procedure",
};

static void put_rows(const struct page *p)
{
	uint32_t n_rest = 0;
	double rest_ns = 0;

	if (!p->c->n_rows || !is_shown(p, 0))
		return;
	ep_put_heading(&p->layout, "Where the CPU time changed",
		"self, without what it calls; the largest change first");
	put_titles(p, titles[p->what->options.by]);
	for (uint32_t i = 0; i < p->c->n_rows; i++) {
		if (is_shown(p, i)) {
			put_row(p, &p->c->rows[i]);
			continue;
		}
		n_rest++;
		rest_ns += ep_compared_change(&p->c->rows[i]);
	}
	put_rest(p, n_rest, rest_ns);
	if (p->has_error)
		ep_put_remark(&p->layout,
			"A change smaller than the error beside it may be chance (1 time of 20)");
}

#define ACTIVITY_SHOWN 0.01

static bool has_activity(const struct page *p, const struct ep_compared_activity *a)
{
	return fmax(a->before_ns, a->after_ns) >= ACTIVITY_SHOWN * longer_ns(p);
}

static void put_activities(const struct page *p)
{
	bool is_telling = false;

	for (uint32_t i = 0; i < EP_N_ACTIVITIES; i++)
		is_telling |= has_activity(p, &p->c->activities[i]) &&
			      ep_activity_words[p->c->activities[i].activity].is_telling;
	if (!is_telling)
		return;
	ep_put_heading(&p->layout, "What it was doing", NULL);
	put_titles(p, "for");
	for (uint32_t i = 0; i < EP_N_ACTIVITIES; i++) {
		const struct ep_compared_activity *a = &p->c->activities[i];

		if (!has_activity(p, a))
			continue;
		put_change(p, a->before_ns, a->after_ns, a->variance);
		ep_put_wrapped(&p->layout, ep_activity_words[a->activity].title, change_columns(p));
	}
}

/* ---- the whole run ---- */

static uint32_t count_columns(const struct page *p)
{
	return p->has_percent ? 20 : p->has_sides ? 17 : 12;
}

static uint32_t total_name_columns(const struct page *p)
{
	uint32_t taken = 2 + 2 * count_columns(p) + (p->has_percent ? PERCENT_COLUMNS : 0);
	uint32_t room = p->layout.width > taken ? p->layout.width - taken : 0;

	return room < 24 ? room : 24;
}

static void put_total(const struct page *p, const char *name, const char *before, const char *after)
{
	fputs("  ", p->layout.out);
	ep_put_cell(&p->layout, name, total_name_columns(p));
	fputc(' ', p->layout.out);
	ep_put_right_cell(&p->layout, before, count_columns(p) - 1);
	fputc(' ', p->layout.out);
	ep_put_right_cell(&p->layout, after, count_columns(p) - 1);
}

static void put_total_ratio(const struct page *p, double before, double after)
{
	if (p->has_percent && (before > 0 || after > 0))
		put_ratio(p, before, after);
	fputc('\n', p->layout.out);
}

static void put_time(const struct page *p, const char *name, double before_s, double after_s)
{
	char before[EP_NUMBER_BYTES], after[EP_NUMBER_BYTES];

	ep_format_seconds(before, before_s);
	ep_format_seconds(after, after_s);
	put_total(p, name, before, after);
	put_total_ratio(p, before_s, after_s);
}

static const struct ep_report_event *find_event(const struct ep_report *r, const char *name)
{
	for (uint32_t i = 0; i < r->n_events; i++)
		if (!strcmp(r->events[i].name, name))
			return &r->events[i];
	return NULL;
}

static void put_event(const struct page *p, const struct ep_report_event *event)
{
	const struct ep_report_event *other = find_event(p->c->after, event->name);
	char before[EP_NUMBER_BYTES], after[EP_NUMBER_BYTES];

	if (!other || !ep_quantity_is_known(&event->total.count) ||
		!ep_quantity_is_known(&other->total.count) ||
		(event->total.count.value == 0 && other->total.count.value == 0))
		return;
	ep_format_value(before, &event->total, event->unit);
	ep_format_value(after, &other->total, other->unit);
	put_total(p, event->name, before, after);
	put_total_ratio(p, event->total.count.value, other->total.count.value);
}

/* Prints the ranks' times, which tell whether the work is spread more evenly. */
static void put_ranks(const struct page *p)
{
	const struct ep_report *before = p->c->before, *after = p->c->after;

	if (!(before->rank_own_mean_s > 0) || !(after->rank_own_mean_s > 0))
		return;
	put_time(p, "longest rank's own", before->rank_own_most_s, after->rank_own_most_s);
	put_time(p, "mean of the ranks' own", before->rank_own_mean_s, after->rank_own_mean_s);
}

static void put_totals(const struct page *p)
{
	const struct ep_report *before = p->c->before, *after = p->c->after;

	ep_put_heading(&p->layout, "As a whole",
		before->n_ranks && after->n_ranks
			? "a rank's own: CPU time of its longest thread outside of MPI"
			: NULL);
	put_total(p, "", "before", "after");
	fprintf(p->layout.out, "%*s\n", p->has_percent ? PERCENT_COLUMNS : 0,
		p->has_percent ? "change" : "");
	if (!isnan(ep_shown_s(before)) && !isnan(ep_shown_s(after)))
		put_time(p, "time on the clock", ep_shown_s(before), ep_shown_s(after));
	put_time(p, "CPU time", (double)before->cpu_ns / 1e9, (double)after->cpu_ns / 1e9);
	if (before->n_threads > 1 && after->n_threads > 1)
		put_time(p, "  of its busiest thread", (double)before->busiest_ns / 1e9,
			(double)after->busiest_ns / 1e9);
	if (!before->waits.is_unknown && !after->waits.is_unknown)
		put_time(p, "waiting", (double)before->waits.all_ns / 1e9,
			(double)after->waits.all_ns / 1e9);
	if ((before->lacked_cpus || after->lacked_cpus) && !before->waits.has_unknown &&
		!after->waits.has_unknown)
		put_time(p, "  of it without a CPU", (double)before->waits.ready_ns / 1e9,
			(double)after->waits.ready_ns / 1e9);
	if (before->has_noted_waits && after->has_noted_waits &&
		(before->lock_ns || after->lock_ns))
		put_time(p, "  of it for locks", (double)before->lock_ns / 1e9,
			(double)after->lock_ns / 1e9);
	put_ranks(p);
	for (uint32_t i = 0; i < before->n_events; i++)
		put_event(p, &before->events[i]);
}

int ep_compare_print_text(const struct ep_compare_page *what, FILE *out)
{
	uint32_t width = what->options.width;
	struct page p = {
		.layout = { out, width, what->options.utf8, what->options.colour },
		.what = what,
		.c = what->comparison,
		.has_sides = width >= 60,
		.has_percent = width >= 72,
		.has_error = width >= 86,
	};

	ep_put_bold(&p.layout, "evreport compare");
	fputc('\n', out);
	put_run(&p, "Before", p.c->before, p.c->n_before);
	put_run(&p, "After", p.c->after, p.c->n_after);
	put_selection(&p);
	if (what->gate)
		ep_gate_print_text(what->gate, p.c, &p.layout);
	put_sentences(&p, "In short", p.c->in_short, p.c->n_in_short);
	put_rows(&p);
	ep_counts_print_text(what, &p.layout);
	put_activities(&p);
	put_totals(&p);
	put_sentences(&p, "Good to know", p.c->notes, p.c->n_notes);
	return 0;
}
