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
			.holders = { { "main > hold", "time to pass", 2700000000 } },
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

TEST(what_there_is_not)
{
	struct ep_report report = { .has_noted_waits = true };
	EP_AUTOFREE char *none = print(&report, EP_BY_ALL), *not_noted = NULL, *silent = NULL;

	CHECK_MSG(strstr(none, "no call waited for so long"), "in %s", none);
	report.has_noted_waits = false;
	not_noted = print(&report, EP_BY_WAITS);
	CHECK_MSG(strstr(not_noted, "evprof run --waits on"), "in %s", not_noted);
	silent = print(&report, EP_BY_ALL);
	CHECK_STR(silent, "");
}
