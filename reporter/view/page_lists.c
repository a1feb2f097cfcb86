// SPDX-License-Identifier: BSD-3-Clause
/* Prints the tables of threads, processes and events, and the timeline. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/text/signs.h"
#include "reporter/view/page.h"

enum { MIN_BINS = 10, MAX_BINS = 120 };

/* ---- threads and processes ---- */

#define WIDE 72 /* narrower lines have no waits, starts, durations and numbers of threads */

enum { THREAD_NAME = 15 };

/* Returns the number of columns before the picture of time in a thread's row: an indent of 2, CPU time of 9, its
 * share of 8, waits, three blanks, the name and two blanks. */
static uint32_t thread_columns(uint32_t width, bool lacked_cpus)
{
	uint32_t waits = lacked_cpus ? 18 : 9;

	return 22 + (width < WIDE ? 0 : waits) + THREAD_NAME + 2;
}

uint32_t ep_view_text_bins(uint32_t width, bool lacked_cpus)
{
	uint32_t used = thread_columns(width, lacked_cpus);
	uint32_t n = width > used ? width - used : 0;

	return n > MAX_BINS ? MAX_BINS : n < MIN_BINS ? MIN_BINS : n;
}

static void put_lacking(const struct ep_page *page, const struct ep_report_waits *waits)
{
	if (waits->has_unknown)
		ep_put_right(&page->layout, "?", 9);
	else
		ep_page_put_time(page, (double)waits->ready_ns / 1e9);
}

/* Puts the waiting time. If the program lacked CPUs, puts two columns: the time without a CPU, and the rest. */
static void put_waits(const struct ep_page *page, const struct ep_report_waits *waits)
{
	if (waits->is_unknown)
		return ep_put_right(&page->layout, "?", 9);
	if (!page->report->lacked_cpus) {
		ep_page_put_time(page, (double)waits->all_ns / 1e9);
		return;
	}
	put_lacking(page, waits);
	if (waits->has_unknown)
		ep_put_right(&page->layout, "?", 9);
	else
		ep_page_put_time(page, (double)(waits->all_ns - waits->ready_ns) / 1e9);
}

static void put_thread(const struct ep_page *page, const struct ep_report_thread *row)
{
	const struct ep_report *r = page->report;
	uint32_t width = page->layout.width, used = thread_columns(width, r->lacked_cpus);
	char who[128];

	snprintf(who, sizeof(who), row->tid ? "%s %u" : "%s", row->name, row->tid);
	fputs("  ", page->layout.out);
	ep_page_put_time(page, (double)row->cpu_ns / 1e9);
	ep_page_put_percent(page, row->share);
	if (width >= WIDE)
		put_waits(page, &row->waits);
	fputs("   ", page->layout.out);
	if (r->cpus_busy_max <= 0 || used + r->n_bins > width) {
		ep_put_cells(
			&page->layout, &(struct ep_cell){ who, width - used + THREAD_NAME }, 1);
		return;
	}
	ep_put_cell(&page->layout, who, THREAD_NAME);
	fputs("  ", page->layout.out);
	ep_put_spark(&page->layout, row->busy, r->n_bins, 1);
	fputc('\n', page->layout.out);
}

static const char *explain_threads(const struct ep_page *page)
{
	if (page->layout.width < WIDE)
		return "right: CPUs busy over time";
	if (page->report->lacked_cpus)
		return "no CPU: ready to run without a CPU; asleep: asleep or blocked; right: CPUs busy over time";
	return "waiting: asleep, blocked, or ready without a CPU; right: CPUs busy over time";
}

void ep_page_put_threads(const struct ep_page *page)
{
	const struct ep_report *r = page->report;
	const char *waits = r->lacked_cpus ? "   no CPU   asleep" : "  waiting";

	ep_put_heading(&page->layout, "By thread", explain_threads(page));
	fprintf(page->layout.out, "%11s%8s%s   thread\n", "CPU time", "",
		page->layout.width >= WIDE ? waits : "");
	for (uint32_t i = 0; i < r->n_threads_shown; i++)
		put_thread(page, &r->threads[i]);
	ep_page_put_hidden(
		page, r->n_threads - r->n_threads_shown, r->threads_hidden_share, "thread");
}

void ep_page_put_programs(const struct ep_page *page)
{
	const struct ep_report *r = page->report;
	bool has_counts = page->layout.width >= 50;
	uint32_t room = page->layout.width - (has_counts ? 32 : 21);
	double hidden = 0;

	if (r->n_programs < 2 || r->n_programs == r->n_processes)
		return;
	ep_put_heading(&page->layout, "By program", "all processes of the same name");
	fprintf(page->layout.out, "%11s%8s%s   program\n", "CPU time", "",
		has_counts ? "  processes" : "");
	for (uint32_t i = 0; i < r->n_programs; i++) {
		const struct ep_report_program *row = &r->programs[i];

		if (i >= r->n_programs_shown) {
			hidden += row->share;
			continue;
		}
		fputs("  ", page->layout.out);
		ep_page_put_time(page, (double)row->cpu_ns / 1e9);
		ep_page_put_percent(page, row->share);
		if (has_counts)
			fprintf(page->layout.out, "%11u", row->n_processes);
		fputs("   ", page->layout.out);
		ep_put_cells(&page->layout, &(struct ep_cell){ row->name, room }, 1);
	}
	ep_page_put_hidden(page, r->n_programs - r->n_programs_shown, hidden, "program");
}

/* Tells whether shares of MPI are shown: a process in the table must have a known share above 0. */
static bool has_mpi(const struct ep_report *r)
{
	for (uint32_t i = 0; i < r->n_processes_shown; i++)
		if (ep_quantity_or(&r->processes[i].mpi_share, 0) > 0)
			return true;
	return false;
}

static void put_mpi(const struct ep_page *page, const struct ep_report_process *row)
{
	if (ep_quantity_is_known(&row->mpi_share))
		ep_page_put_percent(page, row->mpi_share.value);
	else
		ep_put_right(&page->layout, "", 8);
}

enum { LEAST_COMMAND = 16 }; /* the fewest columns in which a command is shown */

static uint32_t process_columns(const struct ep_page *page)
{
	return (page->layout.width < WIDE ? 31 : 57) + (has_mpi(page->report) ? 8 : 0);
}

static bool shows_lacking(const struct ep_page *page)
{
	return page->report->lacked_cpus &&
	       page->layout.width >= process_columns(page) + 9 + LEAST_COMMAND;
}

static void put_process(const struct ep_page *page, const struct ep_report_process *row)
{
	uint32_t used = process_columns(page) + (shows_lacking(page) ? 9 : 0);
	uint32_t room = page->layout.width > used + 8 ? page->layout.width - used : 8;

	fputs("  ", page->layout.out);
	ep_page_put_time(page, (double)row->cpu_ns / 1e9);
	ep_page_put_percent(page, row->share);
	if (has_mpi(page->report))
		put_mpi(page, row);
	if (shows_lacking(page))
		put_lacking(page, &row->waits);
	if (page->layout.width >= WIDE) {
		ep_page_put_time(page, row->start_s);
		ep_page_put_time(page, row->duration_s);
		fprintf(page->layout.out, "%8u", row->n_threads);
	}
	fprintf(page->layout.out, "  %8u  ", row->pid);
	ep_put_cells(&page->layout, &(struct ep_cell){ row->label, room }, 1);
}

void ep_page_put_processes(const struct ep_page *page)
{
	const struct ep_report *r = page->report;

	ep_put_heading(&page->layout, "By process",
		shows_lacking(page) ? "no CPU: its threads were ready to run, without one" : NULL);
	fprintf(page->layout.out, "%11s%8s%s%s", "CPU time", "", has_mpi(r) ? "  in MPI" : "",
		shows_lacking(page) ? "   no CPU" : "");
	if (page->layout.width >= WIDE)
		fprintf(page->layout.out, "%9s%9s%8s", "start", "lasted", "threads");
	fprintf(page->layout.out, "  %8s  command\n", "pid");
	for (uint32_t i = 0; i < r->n_processes_shown; i++)
		put_process(page, &r->processes[i]);
	ep_page_put_hidden(
		page, r->n_processes - r->n_processes_shown, r->processes_hidden_share, "process");
}

/* ---- events ---- */

#define ERROR_COLUMNS 10

/* Writes "±1.2 %", half the 95 % interval, or "±?" if the error is not known. An error of more than 100 % is printed as
 * ">100 %", since its exact size tells nothing more. */
static void format_error(
	const struct ep_page *page, const struct ep_report_event *event, char *out, size_t size)
{
	const char *sign = ep_sign_plus_minus(page->layout.utf8);
	double percent = 100 * 1.96 * event->error.value / event->total.count.value;
	char bar[EP_NUMBER_BYTES];

	out[0] = '\0';
	if (!event->total.is_estimate || event->total.count.value <= 0)
		return;
	/* an estimate is not exact, even if its error is 0: DBL_MIN then gives it an error bar */
	ep_format_bar(bar, page->layout.utf8, fmax(percent, DBL_MIN), 1);
	if (!ep_quantity_is_known(&event->error))
		snprintf(out, size, "%s?", sign);
	else if (percent > 100)
		snprintf(out, size, "%s>100 %%", sign);
	else
		snprintf(out, size, "%.20s %%", bar);
}

/* The meaning of common events, for readers who do not know them. `evprof list EVENT` prints descriptions of other
 * events. */
static const struct {
	const char *name, *meaning;
} meanings[] = {
	{ "minor-faults", "memory pages touched for the first time" },
	{ "major-faults", "memory pages that had to come from disk" },
	{ "page-faults", "memory pages touched for the first time" },
	{ "context-switches", "times a thread gave up its CPU, or lost it" },
	{ "cpu-migrations", "times a thread went on on another CPU" },
	{ "task-clock", "CPU time" },
	{ "cycles", "cycles of the CPU" },
	{ "instructions", "instructions completed" },
	{ "branches", "branch instructions" },
	{ "branch-misses", "branches the CPU guessed wrong" },
	{ "cache-references", "accesses that missed the inner caches" },
	{ "cache-misses", "accesses that went to memory" },
	{ "Ir", "instructions (simulated)" },
	{ "Dr", "reads of memory (simulated)" },
	{ "Dw", "writes to memory (simulated)" },
};

static const char *meaning_of(const char *name)
{
	size_t size = strcspn(name, ":"); /* the name before a modifier, as in instructions:u */

	for (size_t i = 0; i < EP_ARRAY_SIZE(meanings); i++)
		if (strlen(meanings[i].name) == size && !memcmp(meanings[i].name, name, size))
			return meanings[i].meaning;
	return "";
}

/* Tells whether some event was not counted all the time. The last column then shows the share of the time in which each
 * event was counted. */
static bool shows_coverage(const struct ep_report *r)
{
	for (uint32_t e = 0; e < r->n_events; e++)
		if (!ep_quantity_is_known(&r->events[e].total.count) ||
			r->events[e].total.is_estimate)
			return true;
	return false;
}

/* Formats the last column. Text after the share is left out if it does not fit. */
static void format_coverage(const struct ep_page *page, const struct ep_report_event *event,
	uint32_t room, char out[160])
{
	const char *meaning =
		shows_coverage(page->report) ? "all the time" : meaning_of(event->name);

	if (!ep_quantity_is_known(&event->total.count))
		snprintf(out, 160, "not measured");
	else if (!event->total.is_estimate)
		snprintf(out, 160, "%s", meaning);
	else if (event->slice_share >= 1)
		snprintf(out, 160, "in each sample, for a part of it");
	else
		snprintf(out, 160, "%.1f %% of the time%s%s", 100 * event->slice_share,
			event->estimator ? ", the rest by " : "",
			event->estimator ? event->estimator : "");
	if (event->total.is_estimate && ep_text_width(out) > room)
		out[strcspn(out, ",")] = '\0';
}

struct event_widths {
	uint32_t name, total, error, rest;
};

static void put_event(const struct ep_page *page, const struct ep_report_event *event,
	const struct event_widths *w)
{
	char total[EP_NUMBER_BYTES], error[EP_NUMBER_BYTES], coverage[160];

	ep_format_value(total, &event->total, event->unit);
	format_error(page, event, error, sizeof(error));
	format_coverage(page, event, w->rest, coverage);
	fputs("  ", page->layout.out);
	ep_put_cell(&page->layout, event->name, w->name);
	ep_put_right(&page->layout, total, w->total);
	if (error[0] || w->rest)
		ep_put_right(&page->layout, error, w->error);
	fputs(coverage[0] && w->rest ? "   " : "", page->layout.out);
	ep_put_cells(&page->layout, &(struct ep_cell){ coverage, w->rest }, 1);
}

static bool is_any_known(const struct ep_report *r)
{
	for (uint32_t e = 0; e < r->n_events; e++)
		if (ep_quantity_is_known(&r->events[e].total.count))
			return true;
	return false;
}

static const char *explain_events(const struct ep_report *r)
{
	if (!is_any_known(r))
		return r->n_samples ? "none could be counted" : "there is no sample";
	if (r->has_estimates)
		return "~ estimated: not counted all the time";
	return r->has_partial_events ? "without what the lost samples counted" : "counted exactly";
}

static struct event_widths fit_events(const struct ep_page *page)
{
	const struct ep_report *r = page->report;
	struct event_widths w = { ep_text_width("event"), 8, r->has_estimates ? ERROR_COLUMNS : 0,
		0 };
	uint32_t used, least = 18;

	for (uint32_t e = 0; e < r->n_events; e++) {
		char total[EP_NUMBER_BYTES];

		ep_format_value(total, &r->events[e].total, r->events[e].unit);
		w.name = ep_at_least(w.name, ep_text_width(r->events[e].name));
		w.total = ep_at_least(w.total, ep_text_width(total) + 2);
	}
	used = 2 + w.total + w.error;
	if (w.name + used > page->layout.width)
		w.name = page->layout.width > used + least ? page->layout.width - used : least;
	used += w.name + 3;
	w.rest = page->layout.width > used + least ? page->layout.width - used : 0;
	return w;
}

/* Tells whether an event is a class of floating-point instructions of which the program executed none. A run under
 * callgrind has a row for every class, and few programs use many of them. */
static bool is_empty_class(const struct ep_report *r, const struct ep_report_event *event)
{
	return r->is_exact && ep_quantity_or(&event->total.count, 1) == 0 &&
	       !strncmp(event->name, "fp-", 3);
}

static void put_empty_classes(const struct ep_page *page)
{
	uint32_t n = 0;

	for (uint32_t e = 0; e < page->report->n_events; e++)
		n += is_empty_class(page->report, &page->report->events[e]);
	if (n)
		fprintf(page->layout.out, "  %u more classes of floating-point instructions: 0\n",
			n);
}

void ep_page_put_events(const struct ep_page *page)
{
	const struct ep_report *r = page->report;
	struct event_widths w = fit_events(page);
	const char *rest = shows_coverage(r) ? "counted" : "what it is";

	if (!r->n_events)
		return;
	ep_put_heading(&page->layout, "Events", explain_events(r));
	fputs("  ", page->layout.out);
	ep_put_cell(&page->layout, "event", w.name);
	ep_put_right(&page->layout, "total", w.total);
	fprintf(page->layout.out, "%*s", w.rest ? (int)w.error + 3 : 0, "");
	ep_put_cells(&page->layout, &(struct ep_cell){ rest, w.rest }, 1);
	for (uint32_t e = 0; e < r->n_events; e++)
		if (!is_empty_class(r, &r->events[e]))
			put_event(page, &r->events[e], &w);
	put_empty_classes(page);
}

/* ---- timeline ---- */

static void put_axis(const struct ep_page *page, uint32_t indent)
{
	char begin[EP_NUMBER_BYTES] = "0", end[EP_NUMBER_BYTES];
	uint32_t n = page->report->n_bins, n_begin;

	if (page->report->from_s > 0)
		ep_format_seconds(begin, page->report->from_s);
	ep_format_seconds(end, page->report->from_s + page->report->duration_s);
	n_begin = ep_text_width(begin);
	fprintf(page->layout.out, "%*s%s", (int)indent, "", begin);
	ep_put_right(&page->layout, end, n > n_begin ? n - n_begin : 1);
	fputc('\n', page->layout.out);
}

enum { RATE_NAME = 18, RATE = 10, RATE_COLUMNS = 2 + RATE_NAME + RATE + 2 };

static void put_timeline_row(const struct ep_page *page, const char *label, const char *top_text,
	const double *values, double top)
{
	fputs("  ", page->layout.out);
	ep_put_cell(&page->layout, label, RATE_NAME);
	ep_put_right(&page->layout, top_text, RATE);
	fputs("  ", page->layout.out);
	ep_put_spark(&page->layout, values, page->report->n_bins, top);
	fputc('\n', page->layout.out);
}

#define MIN_COUNTS 20 /* least count; below it, single events decide the rate of an interval */

static bool has_rate(const struct ep_report_event *event)
{
	return event->rate_max > 0 && event->total.count.value >= MIN_COUNTS &&
	       strcmp(event->unit, "ns");
}

#define MAX_RATES 6

/* Prints the rates of the first few events, in the order in which the user named them. Returns how
 * many events are left out. */
static uint32_t put_rates(const struct ep_page *page)
{
	const struct ep_report *r = page->report;
	char text[64], rate[EP_NUMBER_BYTES];
	uint32_t n = 0;

	for (uint32_t e = 0; e < r->n_events; e++) {
		if (!has_rate(&r->events[e]) || n++ >= MAX_RATES)
			continue;
		ep_format_rate(rate, r->events[e].rate_max);
		snprintf(text, sizeof(text), "%.40s/s", rate);
		put_timeline_row(
			page, r->events[e].name, text, r->events[e].rate, r->events[e].rate_max);
	}
	return n > MAX_RATES ? n - MAX_RATES : 0;
}

/* Puts a letter for each column: the kind of the phase at the middle of the column. */
static void put_phases(const struct ep_page *page)
{
	const struct ep_report *r = page->report;
	uint32_t at = 0;
	char text[16];

	if (!r->n_phases)
		return;
	snprintf(text, sizeof(text), "%u", r->n_phases);
	fputs("  ", page->layout.out);
	ep_put_cell(&page->layout, "phases", RATE_NAME);
	ep_put_right(&page->layout, text, RATE);
	fputs("  ", page->layout.out);
	for (uint32_t i = 0; i < r->n_bins; i++) {
		double middle_s = r->from_s + (i + 0.5) * r->bin_s;
		char kind[EP_PHASE_KIND_BYTES];

		while (at + 1 < r->n_phases && r->phases[at].to_s <= middle_s)
			at++;
		ep_phase_kind_name(r->phases[at].kind, kind);
		fputc(kind[1] ? '*' : kind[0], page->layout.out);
	}
	fputc('\n', page->layout.out);
}

void ep_page_put_timeline(const struct ep_page *page)
{
	const struct ep_report *r = page->report;
	char text[96], column[EP_NUMBER_BYTES];
	uint32_t n_hidden;

	if (!r->n_bins || r->cpus_busy_max <= 0 || RATE_COLUMNS + r->n_bins > page->layout.width)
		return;
	ep_format_seconds(column, r->bin_s);
	snprintf(text, sizeof(text), "one column is %.40s; the number is the highest column's",
		column);
	ep_put_heading(&page->layout, "Over time", text);
	snprintf(text, sizeof(text), "%.2g", r->cpus_busy_max);
	put_timeline_row(page, "CPUs busy", text, r->cpus_busy, r->cpus_busy_max);
	n_hidden = put_rates(page);
	put_phases(page);
	put_axis(page, RATE_COLUMNS);
	if (!n_hidden)
		return;
	snprintf(text, sizeof(text), "%u more event%s: --format json has their rates", n_hidden,
		ep_plural(n_hidden, "", "s"));
	ep_put_remark(&page->layout, text);
}
