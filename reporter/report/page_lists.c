// SPDX-License-Identifier: BSD-3-Clause
/* The text view's threads, processes, events and timeline. */
#include <string.h>

#include "reporter/report/page.h"

/* ---- threads and processes ---- */

static void put_thread(const struct ep_page *page, const struct ep_report_thread *row)
{
	bool has_busy = page->report->cpus_busy_max > 0;
	char who[128];

	snprintf(who, sizeof(who), row->tid ? "%s %u" : "%s", row->name, row->tid);
	fputs("  ", page->layout.out);
	ep_page_put_time(page, (double)row->cpu_ns / 1e9);
	ep_page_put_percent(page, row->share);
	ep_page_put_time(page, (double)row->waiting_ns / 1e9);
	fputs("   ", page->layout.out);
	if (has_busy)
		ep_put_cell(&page->layout, who, 26);
	else
		fputs(who, page->layout.out);
	if (has_busy)
		ep_put_spark(&page->layout, row->busy, page->report->n_bins, 1);
	fputc('\n', page->layout.out);
}

void ep_page_put_threads(const struct ep_page *page)
{
	const struct ep_report *r = page->report;

	ep_put_heading(&page->layout, "By thread", "right: how busy it was over the run");
	fprintf(page->layout.out, "%11s%8s%9s   thread\n", "CPU time", "", "waiting");
	for (uint32_t i = 0; i < r->n_threads_shown; i++)
		put_thread(page, &r->threads[i]);
	ep_page_put_hidden(
		page, r->n_threads - r->n_threads_shown, r->threads_hidden_share, "thread");
}

static void put_process(const struct ep_page *page, const struct ep_report_process *row)
{
	uint32_t room = page->layout.width > 70 ? page->layout.width - 50 : 20;

	fputs("  ", page->layout.out);
	ep_page_put_time(page, (double)row->cpu_ns / 1e9);
	ep_page_put_percent(page, row->share);
	ep_page_put_time(page, row->start_s);
	ep_page_put_time(page, row->duration_s);
	fprintf(page->layout.out, "%8u  %8u  ", row->n_threads, row->pid);
	ep_put_last(&page->layout, row->label, room > 14 ? room - 10 : 14, "", 0);
}

void ep_page_put_processes(const struct ep_page *page)
{
	const struct ep_report *r = page->report;

	ep_put_heading(&page->layout, "By process", NULL);
	fprintf(page->layout.out, "%11s%8s%9s%9s%8s  %8s  command\n", "CPU time", "", "start",
		"lasted", "threads", "pid");
	for (uint32_t i = 0; i < r->n_processes_shown; i++)
		put_process(page, &r->processes[i]);
	ep_page_put_hidden(
		page, r->n_processes - r->n_processes_shown, r->processes_hidden_share, "process");
}

/* ---- events ---- */

#define ERROR_COLUMNS 10

/* "±1.2 %": half the 95 % interval; beyond 100 % its size says nothing. */
static void format_error(
	const struct ep_page *page, const struct ep_report_event *event, char *out, size_t size)
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
	const struct ep_page *page, const struct ep_report_event *event, uint32_t name_width)
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
	else if (event->slice_share >= 1)
		fputs("   every slice, for a part of its time", page->layout.out);
	else
		fprintf(page->layout.out, "   %.1f %% of the slices", 100 * event->slice_share);
	if (event->estimator)
		fprintf(page->layout.out, ", others by %s", event->estimator);
	fputc('\n', page->layout.out);
}

static bool is_any_known(const struct ep_report *r)
{
	for (uint32_t e = 0; e < r->n_events; e++)
		if (!r->events[e].total.is_missing)
			return true;
	return false;
}

static const char *explain_events(const struct ep_report *r)
{
	if (!is_any_known(r))
		return "none could be counted";
	if (r->has_estimates)
		return "~ estimated: not every slice measured it";
	return r->has_partial_events ? "without what the lost samples counted" : "counted exactly";
}

void ep_page_put_events(const struct ep_page *page)
{
	const struct ep_report *r = page->report;
	uint32_t width = ep_text_width("event");

	if (!r->n_events)
		return;
	for (uint32_t e = 0; e < r->n_events; e++)
		width = ep_at_least(width, ep_text_width(r->events[e].name));
	width = width > 44 ? 44 : width;
	ep_put_heading(&page->layout, "Events", explain_events(r));
	fprintf(page->layout.out, "  %-*s%22s%*s   measured in\n", (int)width, "event", "total",
		r->has_estimates ? ERROR_COLUMNS : 0, "");
	for (uint32_t e = 0; e < r->n_events; e++)
		put_event(page, &r->events[e], width);
}

/* ---- timeline ---- */

static void put_axis(const struct ep_page *page, uint32_t indent)
{
	char end[EP_NUMBER_BYTES];
	uint32_t n = page->report->n_bins;

	ep_format_seconds(end, page->report->duration_s);
	fprintf(page->layout.out, "%*s0", (int)indent, "");
	ep_put_right(&page->layout, end, n > 1 ? n - 1 : 1);
	fputc('\n', page->layout.out);
}

static void put_timeline_row(const struct ep_page *page, const char *label, const char *top_text,
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
static uint32_t put_rates(const struct ep_page *page)
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

void ep_page_put_timeline(const struct ep_page *page)
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
		ep_plural(n_hidden, "", "s"));
	ep_put_dim(&page->layout, text);
	fputc('\n', page->layout.out);
}
