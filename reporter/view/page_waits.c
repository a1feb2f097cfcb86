// SPDX-License-Identifier: BSD-3-Clause
/* Prints the table of where threads waited. */
#include <inttypes.h>

#include "reporter/view/page.h"

#define TEXT_COLUMN 20
#define LEAST_SHOWN 0.005

/* Formats numbers of waits as "8 times in 2 threads, 12.3 ms at most". */
static void format_times(const struct ep_report_wait *wait, char *out, size_t capacity)
{
	char number[EP_NUMBER_BYTES], n[EP_NUMBER_BYTES + 1], longest[EP_NUMBER_BYTES];
	char threads[48] = "";

	ep_format_count(number, wait->n_waits);
	snprintf(n, sizeof(n), "%s%s", wait->is_estimate ? "~" : "", number);
	ep_format_seconds(longest, (double)wait->longest_ns / 1e9);
	if (wait->n_threads > 1)
		snprintf(threads, sizeof(threads), " in %u threads", wait->n_threads);
	if (wait->n_waits == 1 && !wait->is_estimate)
		snprintf(out, capacity, "once%s", threads);
	else
		snprintf(out, capacity, "%s time%s%s, %s at most", n, wait->n_waits == 1 ? "" : "s",
			threads, longest);
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

/* Puts a time; "~1.20 s" says that it was extrapolated from a part of the waits. */
static void put_time(const struct ep_page *page, uint64_t ns, bool is_estimate)
{
	char number[EP_NUMBER_BYTES], text[EP_NUMBER_BYTES + 1];

	ep_format_seconds(number, (double)ns / 1e9);
	snprintf(text, sizeof(text), "%s%s", is_estimate ? "~" : "", number);
	ep_put_right(&page->layout, text, 9);
}

static void put_wait(const struct ep_page *page, const struct ep_report_wait *wait)
{
	char text[512], times[160];

	ep_page_put_percent(page, wait->share);
	put_time(page, wait->ns, wait->is_estimate);
	fputs("  ", page->layout.out);
	format_times(wait, times, sizeof(times));
	snprintf(text, sizeof(text), "for %s%s%s%s: %s", wait->title, wait->what ? " (" : "",
		wait->what ? wait->what : "", wait->what ? ")" : "", times);
	ep_put_wrapped(&page->layout, text, TEXT_COLUMN);
	put_indented(page, wait->path[0] ? wait->path : "in a place that is not known");
	put_holder(page, wait);
}

static void put_more(const struct ep_page *page, uint32_t n, const char *what)
{
	char text[80];

	if (!n)
		return;
	snprintf(text, sizeof(text), "%u more %s%s: --top 0 shows all", n, what, n == 1 ? "" : "s");
	ep_put_remark(&page->layout, text);
}

static const char *name_of(const struct ep_report_lock *lock, char *out, size_t capacity)
{
	if (lock->name)
		return lock->name;
	snprintf(out, capacity, "0x%" PRIx64 " of process %u", lock->address, lock->pid);
	return out;
}

static void put_lock(const struct ep_page *page, const struct ep_report_lock *lock)
{
	char text[512], name[64], n[EP_NUMBER_BYTES], longest[EP_NUMBER_BYTES];

	ep_page_put_percent(page, lock->share);
	put_time(page, lock->ns, lock->is_estimate);
	fputs("  ", page->layout.out);
	ep_format_count(n, lock->n_waits);
	ep_format_seconds(longest, (double)lock->longest_ns / 1e9);
	snprintf(text, sizeof(text), "%s, %s: %s%s wait%s of %u thread%s, %s at most, in %s",
		name_of(lock, name, sizeof(name)), lock->title, lock->is_estimate ? "~" : "", n,
		lock->n_waits == 1 ? "" : "s", lock->n_threads, lock->n_threads == 1 ? "" : "s",
		longest, lock->procedure[0] ? lock->procedure : "a place that is not known");
	ep_put_wrapped(&page->layout, text, TEXT_COLUMN);
}

static void put_locks(const struct ep_page *page)
{
	const struct ep_report *r = page->report;

	if (!r->n_locks_shown)
		return;
	ep_put_heading(&page->layout, "By lock",
		"each by its variable, or by its address where it is on the heap or a stack");
	for (uint32_t i = 0; i < r->n_locks_shown; i++)
		put_lock(page, &r->locks[i]);
	put_more(page, r->n_locks - r->n_locks_shown, "lock");
}

#define MAX_OF_THREAD 3 /* most waits of a thread that are listed */

/* Lists a thread's waits as "data in read_all 1.20 s, a mutex (cm) in lookup 300 ms", most time first. */
static void list_of_thread(const struct ep_report *r, const struct ep_report_thread_wait *waits,
	uint32_t n, char *out, size_t capacity)
{
	size_t at = 0;

	out[0] = '\0';
	for (uint32_t i = 0; i < n && i < MAX_OF_THREAD; i++) {
		const struct ep_report_wait *wait = &r->noted_waits[waits[i].wait_idx];
		char time[EP_NUMBER_BYTES];

		ep_format_seconds(time, (double)waits[i].ns / 1e9);
		at += (size_t)snprintf(out + at, capacity - at, "%s%s%s%s%s%s%s %s%s",
			i ? ", " : "", wait->title, wait->what ? " (" : "",
			wait->what ? wait->what : "", wait->what ? ")" : "",
			wait->procedure[0] ? " in " : "", wait->procedure,
			wait->is_estimate ? "~" : "", time);
		if (at >= capacity)
			return;
	}
	if (n > MAX_OF_THREAD)
		snprintf(out + at, capacity - at, " and %u more", n - MAX_OF_THREAD);
}

static bool has_estimate(
	const struct ep_report *r, const struct ep_report_thread_wait *waits, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (r->noted_waits[waits[i].wait_idx].is_estimate)
			return true;
	return false;
}

static void put_thread(
	const struct ep_page *page, const struct ep_report_thread_wait *waits, uint32_t n)
{
	const struct ep_report *r = page->report;
	const struct ep_report_thread *thread = &r->threads[waits->thread_idx];
	char text[1024], list[900];

	if (thread->duration_s > 0)
		ep_page_put_percent(page, (double)waits->thread_ns / 1e9 / thread->duration_s);
	else
		ep_put_right(&page->layout, "?  ", 8);
	put_time(page, waits->thread_ns, has_estimate(r, waits, n));
	fputs("  ", page->layout.out);
	list_of_thread(r, waits, n, list, sizeof(list));
	snprintf(text, sizeof(text), "%s %u: for %s", thread->name, thread->tid, list);
	ep_put_wrapped(&page->layout, text, TEXT_COLUMN);
}

static void put_threads(const struct ep_page *page)
{
	const struct ep_report *r = page->report;
	uint32_t n_shown = 0;

	if (!r->n_thread_waits)
		return;
	ep_put_heading(&page->layout, "By thread", "with the share of its life that it waited for");
	for (uint32_t i = 0, n; n_shown < r->n_waiting_threads_shown; i += n, n_shown++) {
		for (n = 1; i + n < r->n_thread_waits &&
			    r->thread_waits[i + n].thread_idx == r->thread_waits[i].thread_idx;)
			n++;
		put_thread(page, &r->thread_waits[i], n);
	}
	put_more(page, r->n_waiting_threads - n_shown, "thread");
}

/* Says for how many calls evprof did not check whether they waited. If very many calls come within little CPU time,
 * evprof checks only a part of them. */
static void put_unseen(const struct ep_page *page)
{
	char text[160], n[EP_NUMBER_BYTES];

	ep_format_count(n, page->report->n_unseen_calls);
	snprintf(text, sizeof(text),
		"%s calls that may wait were not looked at: they came so often that this would have cost more than 1 %%",
		n);
	ep_put_remark(&page->layout, text);
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
			r->waits_lack_regions
				? "no wait was noted with its region: without --region all are shown"
				: "not noted: 'evprof run --waits on' notes waits");
	else if (!r->n_noted_waits && !r->n_noted_lost)
		ep_put_remark(&page->layout, "no call waited for so long");
	else if (r->n_noted_lost)
		ep_put_remark(&page->layout,
			"some waits are not listed here: there was no room to record them, or calls were not looked at");
	if (r->n_unseen_calls)
		put_unseen(page);
	if (page->options->by != EP_BY_WAITS)
		return;
	put_locks(page);
	put_threads(page);
}
