// SPDX-License-Identifier: BSD-3-Clause
/* The table of waits as text. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/view/page.h"

static char *print(struct ep_report *report, enum ep_by by)
{
	struct ep_view_options options = { .by = by };
	char *text = NULL;
	size_t size;
	struct ep_page page = { .layout = { .out = open_memstream(&text, &size), .width = 100 },
		.report = report,
		.options = &options };

	ep_page_put_waits(&page);
	fclose(page.layout.out);
	return text;
}

TEST(rows)
{
	struct ep_report_wait rows[] = {
		{ .title = "a mutex",
			.path = "main > lookup",
			.holders = { { "main > hold", "hold", "time to pass", 2700000000 } },
			.n_holders = 1,
			.n_threads = 4,
			.n_waits = 8,
			.ns = 3000000000,
			.longest_ns = 1500000000,
			.share = 0.996 },
		{ .title = "data",
			.path = "",
			.what = "/tmp/x",
			.n_threads = 1,
			.n_waits = 1,
			.ns = 12000000,
			.longest_ns = 12000000,
			.share = 0.004 },
	};
	struct ep_report report = { .has_noted_waits = true,
		.noted_waits = rows,
		.n_noted_waits = 2,
		.n_noted_waits_shown = 2 };
	EP_AUTOFREE char *in_all = print(&report, EP_BY_ALL), *alone = print(&report, EP_BY_WAITS);
	static const char *const words[] = { " 99.6 %", "for a mutex: 8 times in 4 threads, ",
		"main > lookup\n",
		"90 % of it: its holder waited for time to pass meanwhile, in main > hold\n" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(words); i++)
		CHECK_MSG(strstr(in_all, words[i]), "'%s' in %s", words[i], in_all);
	CHECK_MSG(!strstr(in_all, "/tmp/x"), "a small one in %s", in_all);
	CHECK_MSG(strstr(alone, "for data (/tmp/x): once\n"), "in %s", alone);
	CHECK_MSG(strstr(alone, "in a place that is not known\n"), "in %s", alone);
}

TEST(estimates_are_marked)
{
	struct ep_report_wait row = { .title = "data",
		.path = "main",
		.n_threads = 1,
		.n_waits = 1476,
		.ns = 300000000,
		.longest_ns = 200000,
		.share = 1,
		.is_estimate = true };
	struct ep_report_lock lock = { .title = "a mutex",
		.name = "cm",
		.procedure = "main",
		.n_threads = 1,
		.n_waits = 500,
		.ns = 300000000,
		.is_estimate = true };
	struct ep_report report = { .has_noted_waits = true,
		.noted_waits = &row,
		.n_noted_waits = 1,
		.n_noted_waits_shown = 1,
		.locks = &lock,
		.n_locks = 1,
		.n_locks_shown = 1 };
	EP_AUTOFREE char *text = print(&report, EP_BY_WAITS);

	CHECK_MSG(strstr(text, " ~300 ms  for data: ~1,476 times, "), "in %s", text);
	CHECK_MSG(strstr(text, " ~300 ms  cm, a mutex: ~500 waits of"), "in %s", text);
}

TEST(locks_and_threads)
{
	struct ep_report_wait rows[] = {
		{ .title = "a mutex",
			.what = "cm",
			.path = "main > lookup",
			.procedure = "lookup" },
		{ .title = "time to pass", .path = "main > rest", .procedure = "rest" },
	};
	struct ep_report_lock locks[] = {
		{ .title = "a mutex",
			.name = "cm",
			.procedure = "lookup",
			.n_threads = 1,
			.n_waits = 8,
			.ns = 400000000,
			.longest_ns = 90000000,
			.share = 0.8 },
		{ .title = "a semaphore",
			.address = 0x5560,
			.pid = 42,
			.procedure = "rest",
			.n_threads = 2,
			.n_waits = 1 },
		{ .title = "a barrier", .procedure = "" },
	};
	struct ep_report_thread threads[] = { { .name = "worker", .tid = 7, .duration_s = 0.5 } };
	struct ep_report_thread_wait waits[] = {
		{ .n_waits = 8, .ns = 300000000, .thread_ns = 400000000 },
		{ .wait_idx = 1, .n_waits = 1, .ns = 100000000, .thread_ns = 400000000 },
	};
	struct ep_report report = { .has_noted_waits = true,
		.noted_waits = rows,
		.n_noted_waits = 2,
		.n_noted_waits_shown = 2,
		.locks = locks,
		.n_locks = 3,
		.n_locks_shown = 2,
		.threads = threads,
		.n_threads = 1,
		.thread_waits = waits,
		.n_thread_waits = 2,
		.n_waiting_threads = 2,
		.n_waiting_threads_shown = 1 };
	EP_AUTOFREE char *text = print(&report, EP_BY_WAITS), *in_all = print(&report, EP_BY_ALL);
	static const char *const words[] = { " 80.0 %",
		"cm, a mutex: 8 waits of 1 thread, 90.0 ms at most, in lookup\n",
		"0x5560 of process 42, a semaphore: 1 wait of 2 threads", "1 more lock: --top 0",
		"worker 7: for a mutex (cm) in lookup 300 ms, time to pass in rest 100 ms\n",
		"1 more thread: --top 0" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(words); i++)
		CHECK_MSG(strstr(text, words[i]), "'%s' in %s", words[i], text);
	CHECK_MSG(!strstr(in_all, "By lock"), "%s", in_all);
}

TEST(what_there_is_not)
{
	struct ep_report report = { .has_noted_waits = true };
	EP_AUTOFREE char *none = print(&report, EP_BY_ALL), *lost = NULL, *not_noted = NULL,
			 *silent = NULL, *of_region = NULL, *lacking = NULL;

	CHECK_MSG(strstr(none, "no call waited for so long"), "in %s", none);
	report.n_noted_lost = 1;
	lost = print(&report, EP_BY_ALL);
	CHECK_MSG(strstr(lost, "some waits are not listed here"), "in %s", lost);
	CHECK_MSG(!strstr(lost, "no call waited for so long"), "in %s", lost);
	report.has_noted_waits = false;
	not_noted = print(&report, EP_BY_WAITS);
	CHECK_MSG(strstr(not_noted, "evprof run --waits on"), "in %s", not_noted);
	silent = print(&report, EP_BY_ALL);
	CHECK_STR(silent, "");
	report.is_of_region = true;
	of_region = print(&report, EP_BY_WAITS);
	CHECK_MSG(strstr(of_region, "evprof run --waits on"), "in %s", of_region);
	report.waits_lack_regions = true;
	lacking = print(&report, EP_BY_WAITS);
	CHECK_MSG(strstr(lacking, "without --region all are shown"), "in %s", lacking);
}
