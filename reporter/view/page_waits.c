// SPDX-License-Identifier: BSD-3-Clause
/* The text view's table of where threads waited. */
#include "reporter/view/page.h"

#define TEXT_COLUMN 20
#define LEAST_SHOWN 0.005

/* "8 times in 2 threads, 12.3 ms at most" */
static void format_times(const struct ep_report_wait *wait, char *out, size_t capacity)
{
	char n[EP_NUMBER_BYTES], longest[EP_NUMBER_BYTES], threads[48] = "";

	ep_format_count(n, wait->n_waits);
	ep_format_seconds(longest, (double)wait->longest_ns / 1e9);
	if (wait->n_threads > 1)
		snprintf(threads, sizeof(threads), " in %u threads", wait->n_threads);
	if (wait->n_waits == 1)
		snprintf(out, capacity, "once%s", threads);
	else
		snprintf(out, capacity, "%s times%s, %s at most", n, threads, longest);
}

static void put_indented(const struct ep_page *page, const char *text)
{
	fprintf(page->layout.out, "%*s", TEXT_COLUMN, "");
	ep_put_dim_wrapped(&page->layout, text, TEXT_COLUMN);
}

static void put_holder(const struct ep_page *page, const struct ep_report_wait *wait)
{
	const struct ep_report_holder *holder = &wait->holders[0];
	char text[1024];

	if (!wait->n_holders)
		return;
	snprintf(text, sizeof(text), "%.0f %% of it: its holder %s%s meanwhile, in %s",
		100 * (double)holder->ns / (double)wait->ns,
		holder->kind ? "waited for " : "computed", holder->kind ? holder->kind : "",
		holder->path[0] ? holder->path : "a place that is not known");
	put_indented(page, text);
}

static void put_wait(const struct ep_page *page, const struct ep_report_wait *wait)
{
	char text[512], times[160];

	ep_page_put_percent(page, wait->share);
	ep_page_put_time(page, (double)wait->ns / 1e9);
	fputs("  ", page->layout.out);
	format_times(wait, times, sizeof(times));
	snprintf(text, sizeof(text), "for %s%s%s%s: %s", wait->title, wait->what ? " (" : "",
		wait->what ? wait->what : "", wait->what ? ")" : "", times);
	ep_put_wrapped(&page->layout, text, TEXT_COLUMN);
	put_indented(page, wait->path[0] ? wait->path : "in a place that is not known");
	put_holder(page, wait);
}

void ep_page_put_waits(const struct ep_page *page)
{
	const struct ep_report *r = page->report;
	uint32_t n = 0;

	if (!r->has_noted_waits && page->options->by == EP_BY_ALL)
		return;
	ep_put_heading(&page->layout, "Where it waited",
		"time of threads off the CPU, in calls of the C library of 0.1 ms and more");
	for (; n < r->n_noted_waits_shown; n++) {
		if (page->options->by == EP_BY_ALL && r->noted_waits[n].share < LEAST_SHOWN)
			break;
		put_wait(page, &r->noted_waits[n]);
	}
	if (!r->has_noted_waits)
		ep_put_remark(&page->layout,
			"not noted: 'evprof run --waits on' notes waits, of whole runs alone");
	else if (!r->n_noted_waits)
		ep_put_remark(&page->layout, "no call waited for so long");
	else if (r->n_noted_lost)
		ep_put_remark(&page->layout, "some waits found no room and are not here");
}
