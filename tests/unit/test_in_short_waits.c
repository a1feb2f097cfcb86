// SPDX-License-Identifier: BSD-3-Clause
/* The sentence about waits: only where threads did little else, and only what was noted. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/words/words.h"

static struct ep_trace trace;
static struct ep_report_wait wait;
static struct ep_report report;

/* 4 s of threads, of which noted_ms were noted, four fifths of that in one place. */
static const char *said(uint64_t noted_ms)
{
	struct ep_words words = { .trace = &trace, .report = &report, .said = &report.said };

	wait.share = 0.8;
	ep_said_finish(&report.said);
	report = (struct ep_report){ .cpu_ns = 1000000000,
		.waits = { .all_ns = 3000000000 },
		.noted_ns = noted_ms * 1000000,
		.noted_waits = &wait,
		.n_noted_waits = noted_ms ? 1 : 0 };
	ep_say_waits(&words);
	return report.said.n_in_short ? report.said.in_short[0] : "";
}

TEST(who_waits_for_what)
{
	wait = (struct ep_report_wait){
		.title = "a mutex", .procedure = "lookup", .path = "main > lookup"
	};
	CHECK_STR(said(3000),
		"Threads waited for 75 % of their time: 80 % of that for a mutex in lookup.");
	wait.n_holders = 1;
	wait.ns = 100;
	wait.holders[0] =
		(struct ep_report_holder){ "main > serve<a > b> > hold<a > b>", "hold", NULL, 60 };
	CHECK_STR(said(3000),
		"Threads waited for 75 % of their time: 80 % of that for a mutex in lookup, whose "
		"holder computed in hold.");
	wait.holders[0].kind = "time to pass";
	CHECK_STR(said(3000),
		"Threads waited for 75 % of their time: 80 % of that for a mutex in lookup, whose "
		"holder waited for time to pass in hold.");
	wait.ns = 130; /* the rest is not known: perhaps others held it */
	CHECK_STR(said(3000),
		"Threads waited for 75 % of their time: 80 % of that for a mutex in lookup.");
	wait = (struct ep_report_wait){
		.title = "data", .procedure = "get", .path = "get", .what = "socket at 127.0.0.1:80"
	};
	CHECK_STR(said(4000),
		"Threads waited for 100 % of their time: 80 % of that for data (socket at "
		"127.0.0.1:80) in get.");
}

TEST(nothing_is_said_of_programs_that_compute)
{
	wait = (struct ep_report_wait){
		.title = "a mutex", .procedure = "lookup", .path = "main > lookup"
	};
	CHECK_STR(said(1900), "");
	CHECK_STR(said(0), "");
	wait.procedure = ""; /* it is not known where */
	CHECK_STR(said(3000), "");
	ep_said_finish(&report.said);
}

TEST(no_share_of_a_time_that_is_not_known)
{
	struct ep_words words = { .trace = &trace, .report = &report, .said = &report.said };

	wait = (struct ep_report_wait){
		.title = "time to pass", .procedure = "main", .path = "main", .share = 1
	};
	ep_said_finish(&report.said);
	report = (struct ep_report){ .cpu_ns = 100,
		.waits = { .has_unknown = true, .is_unknown = true },
		.noted_ns = 200,
		.noted_waits = &wait,
		.n_noted_waits = 1 };
	ep_say_waits(&words);
	CHECK_INT(report.said.n_in_short, 0);
}

/* Two threads take turns at a lock that one holds while it computes, and main waits for their ends. */
TEST(a_lock_that_all_wait_for)
{
	static struct ep_report_wait waits[] = {
		{ .kind = "join",
			.title = "the end of a thread",
			.procedure = "main",
			.path = "main" },
		{ .kind = "mutex",
			.title = "a mutex",
			.what = "queue",
			.procedure = "put",
			.path = "put" },
	};
	struct ep_words words = { .trace = &trace, .report = &report, .said = &report.said };

	report = (struct ep_report){ .cpu_ns = 1000,
		.waits = { 3500, 500, false, false },
		.noted_ns = 3000,
		.lock_ns = 1000,
		.end_ns = 2000,
		.noted_waits = waits,
		.n_noted_waits = 2 };
	ep_say_waits(&words);
	CHECK_INT(report.said.n_in_short, 1);
	CHECK_STR(report.said.in_short[0],
		"Threads that had something to do waited for locks for 50 % of their time (that without "
		"a CPU left out), most for a mutex (queue) in put. Do less while it is held, or divide "
		"the data and give each part its own lock.");
	ep_said_finish(&report.said);
	report.said = (struct ep_report_said){ 0 };
	report.waits = (struct ep_report_waits){ 3000, 0, false, false };
	ep_say_waits(&words);
	CHECK(strstr(
		report.said.in_short[0], "for locks for 50 % of their time, most for a mutex"));
	ep_said_finish(&report.said);
	report.said = (struct ep_report_said){ 0 };
	waits[1] = (struct ep_report_wait){ .kind = "gil",
		.title = "Python's global lock",
		.what = "GIL",
		.procedure = "a.py:put" };
	ep_say_waits(&words);
	CHECK(strstr(report.said.in_short[0], "most for Python's global lock (GIL) in a.py:put. "
					      "Python carries out the functions of one thread"));
	ep_said_finish(&report.said);
	report.said = (struct ep_report_said){ 0 };
	report.lock_ns = 300; /* 15 % */
	ep_say_waits(&words);
	CHECK_INT(report.said.n_in_short, 1); /* and one sentence is on the ends */
	CHECK(strstr(report.said.in_short[0], "the end of a thread"));
	ep_said_finish(&report.said);
}

/* Two threads of 1 s each: one waits for the other at barriers for most of it. */
TEST(barriers_of_openmp_are_what_nothing_notes)
{
	struct ep_module_info modules[] = { { .path = "/lib/libgomp.so.1" } };
	struct ep_words words = { .trace = &trace, .report = &report, .said = &report.said };

	report = (struct ep_report){ .cpu_ns = 1000,
		.waits = { 1000, 100, false, false },
		.noted_ns = 100,
		.has_noted_waits = true };
	ep_say_waits(&words);
	CHECK_INT(report.said.n_in_short, 0);
	trace.modules = modules;
	trace.n_modules = 1;
	ep_say_waits(&words);
	CHECK_STR(report.said.in_short[0],
		"Threads slept for 40 % of their time in calls that are not noted. OpenMP's library "
		"lets its threads wait for each other by such calls, at barriers and at the ends of "
		"parallel regions.");
	ep_said_finish(&report.said);
	report.said = (struct ep_report_said){ 0 };
	report.n_unseen_calls = 1; /* it may be that call */
	ep_say_waits(&words);
	CHECK_INT(report.said.n_in_short, 0);
	trace = (struct ep_trace){ 0 };
}
