// SPDX-License-Identifier: BSD-3-Clause
/* The sentence about page faults: memory that comes anew, not much memory that comes once. */
#include "tests/unit/test.h"

#include "reporter/words/words.h"

static struct ep_report_process process;
static struct ep_report_thread thread;
static struct ep_report report;

/* A second of CPU time; the process had 4 MiB at most: 1024 pages. */
static const char *said(uint64_t n_faults)
{
	struct ep_words words = { .report = &report, .said = &report.said };

	process = (struct ep_report_process){
		.pid = 7, .program = "app", .cpu_ns = 1000000000, .peak_rss_kib = 4096
	};
	thread = (struct ep_report_thread){ .pid = 7, .n_minor_faults = n_faults };
	ep_said_finish(&report.said);
	report = (struct ep_report){
		.processes = &process, .n_processes = 1, .threads = &thread, .n_threads = 1
	};
	ep_say_faults(&words);
	return report.said.n_in_short ? report.said.in_short[0] : "";
}

TEST(memory_that_comes_anew)
{
	CHECK(strstr(said(102400),
		"app got memory from the kernel again and again, in 102,400 page faults, 100 "
		"times the most that it had at once"));
	CHECK_STR(said(19999), ""); /* too few of them to cost much */
	CHECK_STR(said(0), "");
	ep_said_finish(&report.said);
}

TEST(much_memory_is_no_storm)
{
	struct ep_words words = { .report = &report, .said = &report.said };

	said(102400);
	ep_said_finish(&report.said);
	report.said = (struct ep_report_said){ 0 };
	process.peak_rss_kib = 102400 * 4; /* each page once */
	ep_say_faults(&words);
	CHECK_INT(report.said.n_in_short, 0);
	process.peak_rss_kib = 0; /* not known */
	ep_say_faults(&words);
	CHECK_INT(report.said.n_in_short, 0);
}

/* After each fork all that it writes to faults once more: 99 forks do it, 24 do not. */
TEST(a_process_that_forks_keeps_its_memory)
{
	struct ep_words words = { .report = &report, .said = &report.said };
	struct ep_report_process processes[100];

	for (int n_children = 24; n_children <= 99; n_children += 75) {
		said(102400);
		ep_said_finish(&report.said);
		report.said = (struct ep_report_said){ 0 };
		for (int i = 0; i <= n_children; i++)
			processes[i] = (struct ep_report_process){
				.pid = 8 + (uint32_t)i, .ppid = 7, .process_idx = 1 + (uint32_t)i
			};
		processes[n_children] = process;
		report.processes = processes;
		report.n_processes = (uint32_t)n_children + 1;
		ep_say_faults(&words);
		CHECK_INT(report.said.n_in_short, n_children == 24);
	}
	ep_said_finish(&report.said);
}

TEST(the_procedure_is_named_where_counts_tell_it)
{
	struct ep_words words = { .report = &report, .said = &report.said };
	struct ep_report_event event = { .name = "minor-faults",
		.total.count = ep_quantity_exact(102400) };
	struct ep_report_value value = { .count = ep_quantity_exact(100000) };
	struct ep_report_row row = {
		.short_name = "fill", .kind = EP_SYMBOL_PROCEDURE, .values = &value
	};

	said(102400);
	ep_said_finish(&report.said);
	report.said = (struct ep_report_said){ 0 };
	report.events = &event;
	report.n_events = 1;
	report.procedures = (struct ep_report_table){ .rows = &row, .n_rows = 1 };
	ep_say_faults(&words);
	CHECK(strstr(report.said.in_short[0], "page faults, most of them in fill, 100 times"));
	ep_said_finish(&report.said);
	report.said = (struct ep_report_said){ 0 };
	event.total.count.value = 152400; /* half of those in fill may be another process's */
	ep_say_faults(&words);
	CHECK(!strstr(report.said.in_short[0], "fill"));
	ep_said_finish(&report.said);
}
