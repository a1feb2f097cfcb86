// SPDX-License-Identifier: BSD-3-Clause
/* CPU time by the kernel's account that no table has: of children, of beginnings and ends, of threads. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"
#include "reporter/words/findings.h"

#define KNOWN(seconds)                                                                             \
	{                                                                                          \
		.value = (seconds), .state = EP_QUANTITY_KNOWN                                     \
	}

static const char *said(struct ep_report_process *processes, uint32_t n, double *out_s)
{
	static char text[1000];
	struct ep_report report = {
		.processes = processes, .n_processes = n, .cpu_ns = 1000000000
	};
	struct ep_trace trace = { .n_processes = 0 };
	struct ep_builder builder = { .trace = &trace, .report = &report };
	struct ep_words words = { .trace = &trace, .report = &report, .said = &report.said };

	ep_build_account(&builder);
	ep_find_outside(&words);
	CHECK(!builder.out_of_memory);
	snprintf(text, sizeof(text), "%s",
		report.said.n_findings ? report.said.findings[0].text : "");
	ep_said_finish(&report.said);
	ep_strings_finish(&trace.strings);
	*out_s = report.outside_s;
	return text;
}

static double outside(struct ep_report_process *processes, uint32_t n)
{
	double s;

	said(processes, n, &s);
	return s;
}

TEST(a_child_that_is_not_there)
{
	struct ep_report_process rows[] = {
		{ .pid = 1,
			.born = EP_BORN_ROOT,
			.user_s = KNOWN(0.5),
			.system_s = KNOWN(0.5),
			.children_s = KNOWN(3) },
	};
	double s;
	const char *text = said(rows, 1, &s);

	CHECK_CLOSE(s, 3, 1e-9);
	CHECK_MSG(strstr(text, "took 3.00 s of CPU time, 75 % of all") != NULL, "%s", text);
	rows[0].children_s.value = 0.04; /* below 5 % */
	CHECK(outside(rows, 1) == 0);
	rows[0].children_s = ep_quantity_unknown(NULL);
	CHECK(outside(rows, 1) == 0);
	CHECK(outside(rows, 0) == 0);
}

/* A child of the root with a child of its own, which became another program on the way. */
TEST(those_that_are_there_are_a_part)
{
	struct ep_report_process rows[] = {
		{ .pid = 9,
			.ppid = 5,
			.born = EP_BORN_EXEC,
			.start_s = 3,
			.user_s = KNOWN(0.75),
			.children_s = KNOWN(0) },
		{ .pid = 9,
			.ppid = 5,
			.born = EP_BORN_FORK,
			.start_s = 2,
			.user_s = KNOWN(0.25),
			.children_s = KNOWN(0) },
		{ .pid = 5,
			.ppid = 1,
			.born = EP_BORN_FORK,
			.start_s = 1,
			.user_s = KNOWN(1),
			.children_s = KNOWN(0.75) },
		{ .pid = 1, .born = EP_BORN_ROOT, .user_s = KNOWN(1), .children_s = KNOWN(1.75) },
	};

	CHECK(outside(rows, EP_ARRAY_SIZE(rows)) == 0);
	rows[3].children_s.value += 0.5; /* of the root's own */
	CHECK_CLOSE(outside(rows, EP_ARRAY_SIZE(rows)), 0.5, 1e-9);
	rows[3].children_s.value += 0.5; /* another level's: both know of it */
	rows[2].children_s.value += 0.5;
	CHECK_CLOSE(outside(rows, EP_ARRAY_SIZE(rows)), 1, 1e-9);
}

/* One that nobody measured started one that is measured: its time is the root's children's, too. */
TEST(beyond_one_that_is_not_there)
{
	struct ep_report_process rows[] = {
		{ .pid = 1, .born = EP_BORN_ROOT, .user_s = KNOWN(1), .children_s = KNOWN(3) },
		{ .pid = 7,
			.ppid = 6,
			.born = EP_BORN_EXEC,
			.user_s = KNOWN(1),
			.children_s = KNOWN(0.5) },
		{ .pid = 8,
			.ppid = 7,
			.born = EP_BORN_FORK,
			.user_s = KNOWN(0.5),
			.children_s = KNOWN(0) },
	};

	CHECK_CLOSE(outside(rows, EP_ARRAY_SIZE(rows)), 1.5, 1e-9);
}

/* The root became another program, and a process beside it nobody waited for. */
TEST(it_is_a_lower_bound)
{
	struct ep_report_process rows[] = {
		{ .pid = 1, .born = EP_BORN_ROOT, .user_s = KNOWN(1), .children_s = KNOWN(1) },
		{ .pid = 1,
			.born = EP_BORN_EXEC,
			.start_s = 1,
			.user_s = KNOWN(2),
			.children_s = KNOWN(2) },
		{ .pid = 4,
			.ppid = 1,
			.born = EP_BORN_FORK,
			.start_s = 2,
			.user_s = KNOWN(2.5),
			.children_s = KNOWN(0) },
	};

	CHECK_CLOSE(outside(rows, EP_ARRAY_SIZE(rows)), 0.5, 1e-9);
	rows[2].user_s.value = 30;
	CHECK(outside(rows, EP_ARRAY_SIZE(rows)) == 0);
}

/* Ranks that mpirun started, each with a trace of its own, and two hosts' equal numbers. */
TEST(roots_below_roots)
{
	struct ep_report_process rows[] = {
		{ .pid = 1,
			.host = "a",
			.born = EP_BORN_ROOT,
			.user_s = KNOWN(1),
			.children_s = KNOWN(2) },
		{ .pid = 2,
			.ppid = 1,
			.host = "a",
			.born = EP_BORN_ROOT,
			.user_s = KNOWN(1),
			.children_s = KNOWN(0) },
		{ .pid = 3,
			.ppid = 1,
			.host = "a",
			.born = EP_BORN_ROOT,
			.user_s = KNOWN(1),
			.children_s = KNOWN(0) },
		{ .pid = 2,
			.ppid = 1,
			.host = "b",
			.born = EP_BORN_ROOT,
			.user_s = KNOWN(1),
			.children_s = KNOWN(0) },
	};

	CHECK(outside(rows, EP_ARRAY_SIZE(rows)) == 0);
	rows[3].children_s.value = 1;
	CHECK_CLOSE(outside(rows, EP_ARRAY_SIZE(rows)), 1, 1e-9);
}

static const struct ep_report_process short_lived[] = {
	{ .pid = 1,
		.born = EP_BORN_ROOT,
		.user_s = KNOWN(0.6),
		.system_s = KNOWN(0.4),
		.cpu_ns = 950000000 },
	{ .pid = 2,
		.ppid = 1,
		.born = EP_BORN_FORK,
		.start_s = 1,
		.user_s = KNOWN(0.5),
		.cpu_ns = 450000000 },
	{ .pid = 2,
		.ppid = 1,
		.born = EP_BORN_EXEC,
		.start_s = 2,
		.user_s = KNOWN(1.5),
		.cpu_ns = 950000000 },
	{ .pid = 3, .ppid = 1, .cpu_ns = 250000000 }, /* killed */
	/* vfork's child is the parent's program until it executes its own */
	{ .pid = 4,
		.ppid = 1,
		.born = EP_BORN_EXEC,
		.start_s = 3,
		.user_s = KNOWN(0.5),
		.cpu_ns = 450000000 },
};

static struct ep_report account(const struct ep_report_process *processes, uint32_t n)
{
	static struct ep_report_process rows[8];
	struct ep_report report = { .processes = rows, .n_processes = n, .duration_s = 2 };
	struct ep_builder builder = { .report = &report };

	memcpy(rows, processes, n * sizeof(*rows));
	for (uint32_t i = 0; i < n; i++)
		report.cpu_ns += rows[i].cpu_ns;
	ep_build_account(&builder);
	CHECK(!builder.out_of_memory);
	return report;
}

/* Most of what the kernel charged short-lived processes may be outside of what was measured. */
TEST(what_measured_processes_took_besides)
{
	struct ep_report report = account(short_lived, EP_ARRAY_SIZE(short_lived));
	struct ep_trace trace = { .n_processes = 0 };
	struct ep_words words = { .trace = &trace, .report = &report, .said = &report.said };

	CHECK_CLOSE(report.untold_s, 0.2, 1e-9);
	CHECK_CLOSE(report.charged_s, 3.25, 1e-9);
	CHECK_CLOSE(ep_all_cpus_used(&report), 0.2 / 2, 1e-9);
	ep_find_outside(&words);
	CHECK_INT(report.said.n_findings, 1);
	CHECK_MSG(
		report.said.n_findings &&
			strstr(report.said.findings[0].text,
				"0.20 s of CPU time, 6 % of what the kernel charged, are in no table: what the 5 "
				"processes took before evprof began in them"),
		"%s", report.said.findings[0].text);
	ep_said_finish(&report.said);
	ep_strings_finish(&trace.strings);
}

/* Our own work as processes and threads begin is a part of it, which is told. */
TEST(own_work_is_told_apart)
{
	struct ep_report report = { .n_processes = 5, .untold_s = 0.68, .own_ns = 350000000 };
	struct ep_trace trace = { .n_processes = 0 };
	struct ep_words words = { .trace = &trace, .report = &report, .said = &report.said };

	ep_find_outside(&words);
	CHECK(report.said.n_findings == 1 &&
		strstr(report.said.findings[0].text,
			"in no table: 0.35 s evprof's own work when processes and threads began and at "
			"ticks, the rest is what the 5 processes took before"));
	ep_said_finish(&report.said);
	ep_strings_finish(&trace.strings);
}

/* Each thread has a begin and an end that no table has: many of them are no threads that nobody measured. */
TEST(many_short_threads_are_seen)
{
	struct ep_report_process row = {
		.pid = 1, .user_s = KNOWN(0.95), .cpu_ns = 270000000, .own_ns = 350000000
	};

	row.n_threads = 6001;
	CHECK(account(&row, 1).unseen_s == 0);
	CHECK_CLOSE(account(&row, 1).untold_s, 0.68, 1e-9);
	row.n_threads = 100;
	CHECK_CLOSE(account(&row, 1).unseen_s, 0.33, 1e-9);
}

/* Threads that nobody measured are told of by themselves. */
TEST(threads_that_are_not_in_the_trace)
{
	struct ep_report_process row = { .pid = 1, .user_s = KNOWN(3), .cpu_ns = 1000000000 };
	struct ep_report report = account(&row, 1);

	CHECK_CLOSE(report.unseen_s, 2, 1e-9);
	CHECK_CLOSE(report.processes[0].unseen_s, 2, 1e-9);
	CHECK(report.untold_s == 0);
	row.own_ns = 1950000000; /* evprof's */
	CHECK(account(&row, 1).unseen_s == 0);
	row.own_ns = 0;
	row.born = EP_BORN_EXEC; /* of what was before nothing is known */
	CHECK(account(&row, 1).unseen_s == 0);
	row.user_s.value = 1.01;
	row.born = EP_BORN_ROOT;
	CHECK(account(&row, 1).untold_s == 0); /* too little to be told */
}

/* The kernel gives the number of a process that died to another one, whose account begins at 0. */
TEST(numbers_that_are_given_again)
{
	struct ep_report_process rows[] = {
		{ .pid = 2,
			.born = EP_BORN_FORK,
			.user_s = KNOWN(5),
			.cpu_ns = 5000000000,
			.has_end = true,
			.end_how = EP_END_EXIT },
		{ .pid = 2,
			.born = EP_BORN_EXEC,
			.start_s = 1,
			.user_s = KNOWN(2),
			.cpu_ns = 2000000000 },
	};

	CHECK_CLOSE(account(rows, 2).charged_s, 7, 1e-9);
	rows[0].end_how = EP_END_EXEC; /* its account goes on */
	rows[1].user_s.value = 7;
	CHECK_CLOSE(account(rows, 2).charged_s, 7, 1e-9);
}
