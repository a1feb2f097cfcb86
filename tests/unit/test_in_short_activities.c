// SPDX-License-Identifier: BSD-3-Clause
/* Which activities are worth a sentence, and what is said of MPI's ranks. */
#include "tests/unit/test.h"

#include <string.h>

#include "reporter/words/words.h"

static struct ep_trace trace;
static struct ep_report report;

static void start(void)
{
	report = (struct ep_report){ .n_samples = 1000, .sampled_ns = 1000 };
	report.activities[0] = (struct ep_report_activity){ .activity = EP_ACTIVITY_MPI,
		.ns = 700,
		.share = 0.7,
		.error = 0.01,
		.entries = { { "MPI_Wait", "exchange", 600, 600 }, { "MPI_Send", NULL, 20, 20 } },
		.n_entries = 2 };
	report.activities[1] = (struct ep_report_activity){
		.activity = EP_ACTIVITY_OPENMP, .ns = 150, .share = 0.15, .error = 0.01
	};
	report.activities[2] = (struct ep_report_activity){
		.activity = EP_ACTIVITY_OWN, .ns = 120, .share = 0.12, .error = 0.01
	};
	report.n_activities = 3;
}

static bool says(const char *part)
{
	struct ep_words words = { .trace = &trace, .report = &report, .said = &report.said };
	bool found = false;

	ep_said_finish(&report.said);
	ep_say_activities(&words);
	for (uint32_t i = 0; i < report.said.n_in_short; i++)
		found |= strstr(report.said.in_short[i], part) != NULL;
	return found;
}

TEST(what_has_much_of_the_time)
{
	start();
	CHECK(says(
		"70 % of the CPU time went to MPI (passing data, waiting for other ranks): MPI_Wait 60 %. "
		"Work that is spread evenly"));
	CHECK(says(
		"15 % of the CPU time went to OpenMP (threads that wait for others, or for work). Lon"));
	CHECK(!says("own code"));
	CHECK(!says("Rank"));
	report.activities[1].share = 0.05;
	CHECK(!says("OpenMP"));
	report.activities[1].share = 0.15;
	report.activities[1].error = 0.08; /* a handful of samples */
	CHECK(!says("OpenMP"));
	ep_said_finish(&report.said);
}

/* Rows of libgcc_s without names are not told of again, where exceptions were. */
TEST(the_unwinder_works_for_exceptions)
{
	struct ep_report_row row = { .name = "libgcc_s.so.1+0x14770",
		.short_name = "libgcc_s.so.1+0x14770",
		.module = "/lib/libgcc_s.so.1" };

	start();
	CHECK(!ep_activities_tell_of(&report, &row));
	report.activities[1].activity = EP_ACTIVITY_EXCEPTIONS;
	CHECK(ep_activities_tell_of(&report, &row));
	row.module = "/opt/libgccs.so";
	CHECK(!ep_activities_tell_of(&report, &row));
}

/* Waiting that is for want of CPUs needs other advice; other activities keep theirs. */
TEST(waiting_for_those_without_a_cpu)
{
	struct ep_report_thread thread = { .cpu_ns = 1000,
		.waits = { .all_ns = 1000, .ready_ns = 800 } };

	start();
	report.threads = &thread;
	report.n_threads = 1;
	CHECK(says(
		"(threads that wait for others, or for work). Much of this time may be waiting for "
		"threads that had no CPU: see below."));
	CHECK(says("MPI_Wait 60 %. Much of this time may be waiting for"));
	report.activities[1].activity = EP_ACTIVITY_ALGEBRA;
	CHECK(!says("or for work"));
	thread.waits.ready_ns = 100;
	CHECK(!says("see below"));
	report.activities[1].activity = EP_ACTIVITY_OPENMP;
	CHECK(says("or for work). Lon"));
	thread.waits.ready_ns = 800;
	thread.waits.has_unknown = true;
	CHECK(!says("see below"));
	ep_said_finish(&report.said);
}

TEST(rows_that_need_no_sentence)
{
	const struct ep_report_row inside = { .module = "/lib/libopen-pal.so.40",
		.short_name = "opal_progress" };
	const struct ep_report_row region = { .module = "/lib/libgomp.so.1", .short_name = "x" };
	const struct ep_report_row own = { .module = "/opt/app", .short_name = "solve" };

	start();
	CHECK(ep_activities_tell_of(&report, &inside));
	CHECK(ep_activities_tell_of(&report, &region));
	CHECK(!ep_activities_tell_of(&report, &own));
	report.activities[1].share = 0.02;
	CHECK(!ep_activities_tell_of(&report, &region));
}

TEST(ranks)
{
	const struct ep_report_process slowest = { .rank = "3" };

	start();
	report.n_ranks = 4;
	report.rank_own_mean_s = 2;
	report.rank_own_most_s = 2.2;
	report.slowest_rank = &slowest;
	CHECK(says(
		"The 4 ranks compute about equally long (2 s outside of MPI; the longest 2.2 s)"));
	CHECK(!says("Work that is spread evenly over the ranks"));
	report.rank_own_most_s = 5;
	CHECK(says(
		"Rank 3 computes longest: 5 s outside of MPI, 2.5 times the mean of the 4 ranks."));
	ep_said_finish(&report.said);
}

/* Ranks whose MPI has little of the time do not end together either. */
TEST(uneven_ranks_that_are_hardly_in_mpi)
{
	const struct ep_report_process slowest = { .rank = "1" };

	start();
	report.activities[0].share = 0.08;
	report.n_ranks = 4;
	report.rank_own_mean_s = 0.6;
	report.rank_own_most_s = 0.85;
	report.slowest_rank = &slowest;
	CHECK(says(
		"Rank 1 computes longest: 0.85 s outside of MPI, 1.4 times the mean of the 4 ranks. "
		"Work spread more evenly ends the job sooner."));
	CHECK(!says("wait for it"));
	report.rank_own_most_s = 0.7;
	CHECK(!says("computes longest"));
	CHECK(!says("equally long"));
	ep_said_finish(&report.said);
}

/* System calls are told with who makes them, in the place of the library's procedures. */
TEST(system_calls_and_their_callers)
{
	struct ep_report_row row = { .kind = EP_SYMBOL_PROCEDURE,
		.module = "/lib/libc.so.6",
		.name = "__libc_write",
		.short_name = "__libc_write",
		.self_ns = 550,
		.system_ns = 540 };

	start();
	report.activities[0] = (struct ep_report_activity){ .activity = EP_ACTIVITY_SYSTEM,
		.ns = 770,
		.share = 0.77,
		.error = 0.01,
		.entries = { { "write", "reply", 550, 300 }, { "read", "query", 120, 59 },
			{ "epoll_wait", NULL, 100, 100 } },
		.n_entries = 3 };
	CHECK(says("77 % of the CPU time went to system calls (the kernel's work for the program): "
		   "write 55 % (for reply), read 12 %, epoll_wait 10 %. Fewer calls that each "
		   "do more work take less time."));
	CHECK(ep_activities_tell_of(&report, &row));
	row.system_ns = 270; /* most of it is the library's own after all */
	CHECK(!ep_activities_tell_of(&report, &row));
	row.system_ns = 540;
	row.short_name = "pthread_mutex_lock";
	CHECK(!ep_activities_tell_of(&report, &row)); /* locks tell of it */
	ep_said_finish(&report.said);
}
