// SPDX-License-Identifier: BSD-3-Clause
/* The report for people. */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "common/cleanup.h"
#include "reporter/report/layout.h"

struct page {
	struct ep_layout layout;
	const struct ep_report *report;
	const struct ep_view_options *options;
};

#define LABEL_WIDTH 12

static void put_label(const struct page *page, const char *label)
{
	fputs("  ", page->layout.out);
	ep_put_dim(&page->layout, label);
	fprintf(page->layout.out, "%*s", (int)(LABEL_WIDTH - 2 - strlen(label)), "");
}

static void put_line(const struct page *page, const char *label, const char *text)
{
	put_label(page, label);
	ep_put_wrapped(&page->layout, text[0] ? text : "not in the trace", LABEL_WIDTH);
}

static const char *plural(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

/* ---- header ---- */

static void put_machine(const struct page *page)
{
	const struct ep_report *r = page->report;
	char text[1024], cpus[32] = "";

	if (r->n_cpus)
		snprintf(cpus, sizeof(cpus), ", %u CPU%s", r->n_cpus, plural(r->n_cpus, "", "s"));
	snprintf(text, sizeof(text), "%s%s%s%s%s%s", r->host, r->cpu[0] ? ", " : "", r->cpu, cpus,
		r->kernel[0] ? ", Linux " : "", r->kernel);
	put_line(page, "Machine", text);
}

static void put_when(const struct page *page)
{
	const struct ep_report *r = page->report;
	char text[256], when[64] = "unknown time", duration[EP_NUMBER_BYTES];
	time_t seconds = (time_t)(r->started_ns / 1000000000);
	struct tm tm;

	if (r->started_ns && localtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S %Z", &tm);
	ep_format_seconds(duration, r->duration_s);
	snprintf(text, sizeof(text), "%s, for %s", when, duration);
	put_line(page, "When", text);
}

static void put_used(const struct page *page)
{
	const struct ep_report *r = page->report;
	char text[512], cpu[EP_NUMBER_BYTES], ranks[48] = "";

	ep_format_seconds(cpu, (double)r->cpu_ns / 1e9);
	if (r->n_ranks)
		snprintf(ranks, sizeof(ranks), ", %u MPI rank%s", r->n_ranks,
			plural(r->n_ranks, "", "s"));
	snprintf(text, sizeof(text),
		"%s of CPU time (%.2f CPUs on average) in %u process%s, %u thread%s%s", cpu,
		r->cpus_used, r->n_processes, plural(r->n_processes, "", "es"), r->n_threads,
		plural(r->n_threads, "", "s"), ranks);
	put_line(page, "Used", text);
}

static void put_samples(const struct page *page)
{
	const struct ep_report *r = page->report;
	char text[512], n[EP_NUMBER_BYTES], n_lost[EP_NUMBER_BYTES], period[EP_NUMBER_BYTES];
	char every[100] = "", lost[EP_NUMBER_BYTES + 32] = "none lost";

	ep_format_count(n, r->n_samples);
	ep_format_count(n_lost, r->n_lost);
	ep_format_seconds(period, r->period_ms / 1e3);
	if (r->period_ms > 0)
		snprintf(every, sizeof(every), ", one every %.40s of a thread's CPU time", period);
	if (r->n_lost)
		snprintf(lost, sizeof(lost), "%.40s lost (%.1f %%)", n_lost, 100 * r->lost_share);
	snprintf(text, sizeof(text), "%s%s; %s", n, every, lost);
	put_line(page, "Samples", text);
}

static void put_header(const struct page *page)
{
	const struct ep_report *r = page->report;

	ep_put_bold(&page->layout, "evprof report");
	fprintf(page->layout.out, "  %s\n", r->trace_path);
	put_line(page, "Command", r->command);
	put_machine(page);
	put_when(page);
	put_used(page);
	put_samples(page);
	if (r->selection)
		put_line(page, "Shown", r->selection);
	if (r->missing)
		put_line(page, "Missing", r->missing);
}

/* ---- tables of procedures, lines, modules ---- */

static void put_percent(const struct page *page, double share)
{
	fprintf(page->layout.out, "%6.1f %%", 100 * share);
}

static void put_time(const struct page *page, double seconds)
{
	char text[EP_NUMBER_BYTES];

	ep_format_seconds(text, seconds);
	ep_put_right(&page->layout, text, 9);
}

/* what: "procedure"; "es" in some plurals. */
static void put_hidden(const struct page *page, uint32_t n_hidden, double share, const char *what)
{
	char text[160];
	const char *s = n_hidden == 1 ? "" : what[strlen(what) - 1] == 's' ? "es" : "s";

	if (!n_hidden)
		return;
	snprintf(text, sizeof(text), "  %u more %s%s with %.1f %% of the time: --top 0 shows all",
		n_hidden, what, s, 100 * share);
	ep_put_dim(&page->layout, text);
	fputc('\n', page->layout.out);
}

#define COST_COLUMNS 30 /* "  " time, self, total, "  " */

static void put_cost(const struct page *page, const struct ep_report_row *row)
{
	fputs("  ", page->layout.out);
	put_time(page, (double)row->self_ns / 1e9);
	put_percent(page, row->self_share);
	put_percent(page, row->total_share);
	fputs("   ", page->layout.out);
}

#define MAX_FILE 20 /* columns of a file's name: a longer one is cut, its line number is not */

static void format_place(
	const struct page *page, char *out, size_t size, const char *file, uint32_t line)
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

static uint32_t at_least(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static struct widths fit_widths(const struct page *page, const struct ep_report_table *table)
{
	struct widths w = { 0, ep_text_width("library"), 0 };
	uint32_t room =
		page->layout.width > COST_COLUMNS + 20 ? page->layout.width - COST_COLUMNS - 1 : 20;

	for (uint32_t i = 0; i < table->n_shown; i++) {
		const struct ep_report_row *row = &table->rows[i];
		char place[256];

		format_place(page, place, sizeof(place), row->hot_file, row->hot_line);
		w.module = at_least(w.module, ep_text_width(row->module_name));
		w.place = at_least(w.place, ep_text_width(place));
		w.name = at_least(
			w.name, ep_text_width(row->short_name) + (row->is_inlined ? 10 : 0));
	}
	w.module = w.module > 16 ? 16 : w.module;
	w.place = w.place > MAX_FILE + 8 ? MAX_FILE + 8 : w.place;
	if (w.place)
		w.place = at_least(w.place, ep_text_width("hottest line"));
	if (w.name + w.module + w.place + 4 > room)
		w.name = room > w.module + w.place + 24 ? room - w.module - w.place - 4 : 20;
	w.name = at_least(w.name, 20);
	return w;
}

static void put_name(const struct page *page, const struct ep_report_row *row, uint32_t width)
{
	char text[1024];

	snprintf(text, sizeof(text), "%s%s", row->short_name, row->is_inlined ? " (inlined)" : "");
	ep_put_name(&page->layout, text, width);
}

static void put_callers(const struct page *page, const struct ep_report_row *row)
{
	for (uint32_t i = 0; page->options->callers && i < row->n_callers; i++) {
		fprintf(page->layout.out, "%*s", COST_COLUMNS, "");
		put_percent(page, row->callers[i].share);
		fputs(" from ", page->layout.out);
		ep_put_name(&page->layout, row->callers[i].name,
			page->layout.width > COST_COLUMNS + 40
				? page->layout.width - COST_COLUMNS - 16
				: 24);
		fputc('\n', page->layout.out);
	}
}

static void put_row(
	const struct page *page, const struct ep_report_row *row, const struct widths *w)
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
	const struct page *page, const char *name, const char *place, const struct widths *w)
{
	fprintf(page->layout.out, "%11s%8s%8s   ", "", "self", "total");
	ep_put_cell(&page->layout, name, w->name);
	fputs("  ", page->layout.out);
	ep_put_last(&page->layout, "library", w->module, w->place ? place : "", w->place);
}

struct titles {
	const char *name, *place, *rows;
};

static void put_table(
	const struct page *page, const struct ep_report_table *table, const struct titles *titles)
{
	struct widths w = fit_widths(page, table);

	put_titles(page, titles->name, titles->place, &w);
	for (uint32_t i = 0; i < table->n_shown; i++)
		put_row(page, &table->rows[i], &w);
	put_hidden(page, table->n_rows - table->n_shown, table->hidden_share, titles->rows);
}

static void put_procedures(const struct page *page)
{
	if (!page->report->procedures.n_rows)
		return;
	ep_put_heading(&page->layout, "Where the time went",
		"self: in the procedure itself; total: with everything it calls");
	put_table(page, &page->report->procedures,
		&(struct titles){ "procedure", "hottest line", "procedure" });
}

static void put_lines(const struct page *page)
{
	if (!page->report->lines.n_rows)
		return;
	ep_put_heading(
		&page->layout, "Time by source line", "total: with the calls made on the line");
	put_table(page, &page->report->lines, &(struct titles){ "in procedure", "line", "line" });
}

static void put_modules(const struct page *page)
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
	put_hidden(page, table->n_rows - table->n_shown, table->hidden_share, "file");
}

/* ---- the call tree ---- */

static void put_call(const struct page *page, const struct ep_report_call *row)
{
	char name[512], through[256] = "", text[800];
	uint32_t indent = 2 * row->depth, used = 19 + indent;
	uint32_t room = page->layout.width > used + 20 ? page->layout.width - used : 20;
	const char *to = row->n_through < 2 ? " > " : page->layout.utf8 ? " \u2026 " : " ... ";

	ep_shorten_name(&page->layout, row->name, room, name, sizeof(name));
	if (row->n_through)
		ep_shorten_name(&page->layout, row->through, room / 2, through, sizeof(through));
	snprintf(text, sizeof(text), "%s%s%s", through, row->n_through ? to : "", name);
	put_percent(page, row->total_share);
	put_percent(page, row->self_share);
	fprintf(page->layout.out, "   %*s", (int)indent, "");
	ep_put_last(&page->layout, text, room, "", 0);
}

static void put_calls(const struct page *page)
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

/* ---- threads and processes ---- */

static void put_thread(const struct page *page, const struct ep_report_thread *row)
{
	bool has_busy = page->report->cpus_busy_max > 0;
	char who[128];

	snprintf(who, sizeof(who), row->tid ? "%s %u" : "%s", row->name, row->tid);
	fputs("  ", page->layout.out);
	put_time(page, (double)row->cpu_ns / 1e9);
	put_percent(page, row->share);
	put_time(page, (double)row->waiting_ns / 1e9);
	fputs("   ", page->layout.out);
	if (has_busy)
		ep_put_cell(&page->layout, who, 26);
	else
		fputs(who, page->layout.out);
	if (has_busy)
		ep_put_spark(&page->layout, row->busy, page->report->n_bins, 1);
	fputc('\n', page->layout.out);
}

static void put_threads(const struct page *page)
{
	const struct ep_report *r = page->report;

	ep_put_heading(&page->layout, "By thread", "right: how busy it was over the run");
	fprintf(page->layout.out, "%11s%8s%9s   thread\n", "CPU time", "", "waiting");
	for (uint32_t i = 0; i < r->n_threads_shown; i++)
		put_thread(page, &r->threads[i]);
	put_hidden(page, r->n_threads - r->n_threads_shown, r->threads_hidden_share, "thread");
}

static void put_process(const struct page *page, const struct ep_report_process *row)
{
	uint32_t room = page->layout.width > 70 ? page->layout.width - 50 : 20;

	fputs("  ", page->layout.out);
	put_time(page, (double)row->cpu_ns / 1e9);
	put_percent(page, row->share);
	put_time(page, row->start_s);
	put_time(page, row->duration_s);
	fprintf(page->layout.out, "%8u  %8u  ", row->n_threads, row->pid);
	ep_put_last(&page->layout, row->label, room > 14 ? room - 10 : 14, "", 0);
}

static void put_processes(const struct page *page)
{
	const struct ep_report *r = page->report;

	ep_put_heading(&page->layout, "By process", NULL);
	fprintf(page->layout.out, "%11s%8s%9s%9s%8s  %8s  command\n", "CPU time", "", "start",
		"lasted", "threads", "pid");
	for (uint32_t i = 0; i < r->n_processes_shown; i++)
		put_process(page, &r->processes[i]);
	put_hidden(
		page, r->n_processes - r->n_processes_shown, r->processes_hidden_share, "process");
}

/* ---- events ---- */

#define ERROR_COLUMNS 10

/* "±1.2 %": half the 95 % interval; beyond 100 % its size says nothing. */
static void format_error(
	const struct page *page, const struct ep_report_event *event, char *out, size_t size)
{
	const char *sign = page->layout.utf8 ? "\u00b1" : "+-";
	double percent = 100 * 1.96 * event->error / event->total.value;

	out[0] = '\0';
	if (!event->total.is_estimate || event->error < 0 || event->total.value <= 0)
		return;
	if (percent > 100)
		snprintf(out, size, "%s>100 %%", sign);
	else
		snprintf(out, size, "%s%.1f %%", sign, percent);
}

static void put_event(
	const struct page *page, const struct ep_report_event *event, uint32_t name_width)
{
	char total[EP_NUMBER_BYTES], error[EP_NUMBER_BYTES];

	ep_format_value(total, &event->total, event->unit);
	format_error(page, event, error, sizeof(error));
	fputs("  ", page->layout.out);
	ep_put_cell(&page->layout, event->name, name_width);
	ep_put_right(&page->layout, total, 22);
	if (page->report->has_estimates)
		ep_put_right(&page->layout, error, ERROR_COLUMNS);
	if (event->total.is_missing)
		fputs("   not measured", page->layout.out);
	else if (event->slice_share >= 1 && !event->total.is_estimate)
		fputs("   every slice", page->layout.out);
	else
		fprintf(page->layout.out, "   %.1f %% of the slices", 100 * event->slice_share);
	if (event->estimator)
		fprintf(page->layout.out, ", others by %s", event->estimator);
	fputc('\n', page->layout.out);
}

static const char *explain_events(const struct ep_report *r)
{
	if (r->has_estimates)
		return "~ estimated: not every slice measured it";
	return r->has_partial_events ? "without what the lost samples counted" : "counted exactly";
}

static void put_events(const struct page *page)
{
	const struct ep_report *r = page->report;
	uint32_t width = ep_text_width("event");

	if (!r->n_events)
		return;
	for (uint32_t e = 0; e < r->n_events; e++)
		width = at_least(width, ep_text_width(r->events[e].name));
	width = width > 44 ? 44 : width;
	ep_put_heading(&page->layout, "Events", explain_events(r));
	fprintf(page->layout.out, "  %-*s%22s%*s   measured in\n", (int)width, "event", "total",
		r->has_estimates ? ERROR_COLUMNS : 0, "");
	for (uint32_t e = 0; e < r->n_events; e++)
		put_event(page, &r->events[e], width);
}

/* ---- timeline ---- */

static void put_axis(const struct page *page, uint32_t indent)
{
	char end[EP_NUMBER_BYTES];
	uint32_t n = page->report->n_bins;

	ep_format_seconds(end, page->report->duration_s);
	fprintf(page->layout.out, "%*s0", (int)indent, "");
	ep_put_right(&page->layout, end, n > 1 ? n - 1 : 1);
	fputc('\n', page->layout.out);
}

static void put_timeline_row(const struct page *page, const char *label, const char *top_text,
	const double *values, double top)
{
	fputs("  ", page->layout.out);
	ep_put_cell(&page->layout, label, 18);
	ep_put_right(&page->layout, top_text, 19);
	fputs("  ", page->layout.out);
	ep_put_spark(&page->layout, values, page->report->n_bins, top);
	fputc('\n', page->layout.out);
}

static bool has_rate(const struct ep_report_event *event)
{
	return event->rate_max > 0 && strcmp(event->unit, "ns");
}

#define MAX_RATES 6

/* The first few events, in the order in which they were asked for; returns the number of the
 * others. */
static uint32_t put_rates(const struct page *page)
{
	const struct ep_report *r = page->report;
	char text[64], rate[EP_NUMBER_BYTES];
	uint32_t n = 0;

	for (uint32_t e = 0; e < r->n_events; e++) {
		if (!has_rate(&r->events[e]) || n++ >= MAX_RATES)
			continue;
		ep_format_rate(rate, r->events[e].rate_max);
		snprintf(text, sizeof(text), "up to %.40s/s", rate);
		put_timeline_row(
			page, r->events[e].name, text, r->events[e].rate, r->events[e].rate_max);
	}
	return n > MAX_RATES ? n - MAX_RATES : 0;
}

static void put_timeline(const struct page *page)
{
	const struct ep_report *r = page->report;
	char text[64], column[EP_NUMBER_BYTES];
	uint32_t n_hidden;

	if (!r->n_bins || r->cpus_busy_max <= 0)
		return;
	ep_format_seconds(column, r->bin_s);
	snprintf(text, sizeof(text), "one column is %.40s", column);
	ep_put_heading(&page->layout, "Over time", text);
	snprintf(text, sizeof(text), "up to %.2g", r->cpus_busy_max);
	put_timeline_row(page, "CPUs busy", text, r->cpus_busy, r->cpus_busy_max);
	n_hidden = put_rates(page);
	put_axis(page, 41);
	if (!n_hidden)
		return;
	snprintf(text, sizeof(text), "  %u more event%s: --format json has their rates", n_hidden,
		plural(n_hidden, "", "s"));
	ep_put_dim(&page->layout, text);
	fputc('\n', page->layout.out);
}

/* ---- findings ---- */

static void put_findings(const struct page *page)
{
	const struct ep_report *r = page->report;

	if (!r->n_findings)
		return;
	ep_put_heading(&page->layout, "Good to know", NULL);
	for (uint32_t i = 0; i < r->n_findings; i++) {
		bool is_warning = r->findings[i].kind == EP_FINDING_WARNING;

		fputs(is_warning ? "  ! " : "  - ", page->layout.out);
		ep_put_wrapped(&page->layout, r->findings[i].text, 4);
	}
}

static void put_all(const struct page *page)
{
	const struct ep_report *r = page->report;

	put_procedures(page);
	put_calls(page);
	put_modules(page);
	put_threads(page);
	if (r->n_processes > 1)
		put_processes(page);
	put_events(page);
	put_timeline(page);
}

static void (*const sections[])(const struct page *page) = {
	[EP_BY_ALL] = put_all,
	[EP_BY_PROCEDURES] = put_procedures,
	[EP_BY_LINES] = put_lines,
	[EP_BY_MODULES] = put_modules,
	[EP_BY_THREADS] = put_threads,
	[EP_BY_PROCESSES] = put_processes,
};

static int print_text(
	FILE *out, const struct ep_report *report, const struct ep_view_options *options)
{
	struct page page = {
		.layout = { out, options->width, options->utf8, options->colour },
		.report = report,
		.options = options,
	};

	put_header(&page);
	sections[options->by](&page);
	put_findings(&page);
	return 0;
}

const struct ep_report_view ep_report_view_text = { "text", print_text };
