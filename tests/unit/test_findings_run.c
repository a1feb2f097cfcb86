// SPDX-License-Identifier: BSD-3-Clause
/* Sentences on a run: CPU time that no sample saw, how processes ended, which threads waited. */
#include "tests/unit/test.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"
#include "reporter/words/findings.h"

#define S 1000000000ull

struct subject {
	struct ep_trace trace;
	struct ep_report report;
};

static void find(struct subject *subject)
{
	struct ep_builder builder = { .trace = &subject->trace, .report = &subject->report };
	struct ep_words words = {
		.trace = &subject->trace, .report = &subject->report, .said = &subject->report.said
	};

	ep_build_account(&builder);
	ep_find_run(&words);
	CHECK(!builder.out_of_memory);
}

static void finish(struct subject *subject)
{
	ep_said_finish(&subject->report.said);
	ep_strings_finish(&subject->trace.strings);
}

static const char *finding_with(const struct ep_report *r, const char *part)
{
	for (uint32_t i = 0; i < r->said.n_findings; i++)
		if (strstr(r->said.findings[i].text, part))
			return r->said.findings[i].text;
	return NULL;
}

/* Negative seconds stand for an account that is not known. */
static struct ep_quantity seconds(double s)
{
	return s < 0 ? ep_quantity_unknown(NULL) : ep_quantity_exact(s);
}

/* Two processes; the second is looked at. */
TEST(cpu_time_of_threads_that_nobody_saw)
{
	static const struct {
		enum ep_born born;
		uint32_t pid;
		double user_s, system_s; /* of the second */
		uint64_t cpu_ns, own_ns;
		double user_before_s;
		const char *said; /* NULL: nothing */
	} rows[] = {
		{ EP_BORN_ROOT, 2, 1.0, 0.2, S / 2, S / 100, 0,
			"used 1.19 s of CPU time by the kernel's account, 0.69 s" },
		{ EP_BORN_FORK, 2, 1.0, 0.2, S / 2, 0, 0, "0.70 s more" },
		{ EP_BORN_ROOT, 2, 1.0, 0.2, 6 * S / 5, S / 100, 0, NULL },
		{ EP_BORN_ROOT, 2, 0.59, 0, S / 2, 0, 0, NULL },  /* start-up */
		{ EP_BORN_ROOT, 2, 10.5, 0, 10 * S, 0, 0, NULL }, /* half a second of ten */
		{ EP_BORN_ROOT, 2, -1, -1, S / 2, 0, 0, NULL },   /* no account */
		{ EP_BORN_EXEC, 1, 5.2, 0, 2 * S, 0, 3, NULL },   /* the account of both images */
		{ EP_BORN_EXEC, 1, 6.2, 0, 2 * S, 0, 3, "1.20 s more" }, /* and more than both */
		{ EP_BORN_EXEC, 1, 6.2, 0, 2 * S, 0, -1, NULL },
		{ EP_BORN_EXEC, 2, 6.2, 0, 2 * S, 0, 3, NULL }, /* who came before is not there */
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_report_process processes[] = {
			{ .pid = 1,
				.program = "a",
				.born = EP_BORN_ROOT,
				.has_end = true,
				.end_how = EP_END_EXEC,
				.user_s = seconds(rows[i].user_before_s),
				.cpu_ns = 3 * S },
			{ .pid = rows[i].pid,
				.program = "b",
				.born = rows[i].born,
				.has_end = true,
				.start_s = 1,
				.user_s = seconds(rows[i].user_s),
				.system_s = seconds(rows[i].system_s),
				.cpu_ns = rows[i].cpu_ns,
				.own_ns = rows[i].own_ns },
		};
		struct subject subject = { .report = { .processes = processes, .n_processes = 2 } };
		const char *said;

		find(&subject);
		said = finding_with(&subject.report, "b (process");
		if (rows[i].said)
			CHECK_MSG(said && strstr(said, rows[i].said), "row %zu: said %s", i, said);
		else
			CHECK_MSG(!said, "row %zu: said %s", i, said);
		finish(&subject);
	}
}

TEST(processes_that_ended_alike_are_one_line)
{
	static struct ep_report_process processes[] = {
		{ .pid = 1,
			.program = "od",
			.has_end = true,
			.end_how = EP_END_SIGNAL,
			.end_status = SIGPIPE,
			.born = EP_BORN_FORK },
		{ .pid = 2, .program = "sh", .has_end = true, .born = EP_BORN_ROOT },
		{ .pid = 3,
			.program = "cat",
			.has_end = true,
			.end_how = EP_END_SIGNAL,
			.end_status = SIGPIPE,
			.born = EP_BORN_FORK },
		{ .pid = 4,
			.program = "od",
			.has_end = true,
			.end_how = EP_END_SIGNAL,
			.end_status = SIGPIPE,
			.born = EP_BORN_FORK },
		{ .pid = 5,
			.program = "od",
			.has_end = true,
			.end_how = EP_END_SIGNAL,
			.end_status = SIGSEGV,
			.born = EP_BORN_FORK },
	};
	struct subject subject = { .report = { .processes = processes, .n_processes = 5 } };

	find(&subject);
	CHECK_INT(subject.report.said.n_findings, 2);
	CHECK_STR(subject.report.said.findings[0].text,
		"3 processes were killed by signal 13 (PIPE): od (2), cat (1). That is usual where "
		"the reader of a pipe ends first.");
	CHECK_STR(subject.report.said.findings[1].text,
		"od (process 5) was killed by signal 11 (SEGV).");
	finish(&subject);
}

TEST(waiting_and_cost)
{
	static struct ep_report_thread threads[3] = {
		{ .name = "w", .tid = 7, .cpu_ns = 8 * S, .share = 0.8 },
		{ .cpu_ns = S, .share = 0.09 }, { .cpu_ns = S, .share = 0.09 }
	};
	static struct ep_report_process process = { .program = "w", .born = EP_BORN_ROOT };
	struct subject subject = { .report = { .n_threads = 3,
					   .processes = &process,
					   .n_processes = 1,
					   .threads = threads,
					   .cpu_ns = 10 * S,
					   .waits = { .all_ns = 12 * S },
					   .own_ns = S } };

	find(&subject);
	CHECK(!finding_with(&subject.report, "waiting")); /* the idle ones */
	threads[0].waits.all_ns = 12 * S;
	threads[1].waits.all_ns = threads[2].waits.all_ns = 90 * S;
	find(&subject);
	CHECK(finding_with(&subject.report, "threads spent 60 % of their time waiting"));
	CHECK(finding_with(&subject.report, "evprof itself took 10.0 %"));
	CHECK(!finding_with(&subject.report, "busy in the minute before"));
	subject.report.n_cpus = 4;
	subject.report.load = ep_quantity_exact(3.1);
	find(&subject);
	CHECK(finding_with(&subject.report, "(a load of 3.1 on 4 CPUs)"));
	subject.report.load = ep_quantity_exact(2.9);
	ep_said_finish(&subject.report.said);
	subject.report.is_simulated = true; /* by valgrind: one thread at a time, and slow */
	find(&subject);
	CHECK_INT(subject.report.said.n_findings, 0);
	finish(&subject);
}

/* Why the threads left their CPUs, where it was often enough to tell. */
TEST(waiting_for_something_or_for_a_cpu)
{
	static const struct {
		uint64_t n_voluntary, n_involuntary;
		const char *said; /* NULL: nothing */
	} rows[] = {
		{ 75, 25,
			"Of the 100 times that they left a CPU, 75 % were to wait; at the others "
			"it" },
		{ 0, 300, "Of the 300 times that they left a CPU, 0 % were to wait" },
		{ 9, 10, NULL },
		{ 0, 0, NULL },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_report_thread thread = { .share = 1,
			.cpu_ns = S,
			.waits = { .all_ns = 9 * S, .has_unknown = true },
			.n_voluntary = rows[i].n_voluntary,
			.n_involuntary = rows[i].n_involuntary };
		struct subject s = { .report = { .threads = &thread, .n_threads = 1 } };

		find(&s);
		CHECK(finding_with(&s.report, "90 % of their time waiting"));
		if (rows[i].said)
			CHECK_MSG(finding_with(&s.report, rows[i].said), "%s", rows[i].said);
		else
			CHECK(!finding_with(&s.report, "left a CPU"));
		finish(&s);
	}
}

/* By the kernel's account, where there is one. */
TEST(waiting_told_apart)
{
	static const struct {
		uint64_t ready_s;
		const char *said;
	} rows[] = {
		{ 0, "90 % of their time waiting (asleep or blocked, hardly ever for a CPU); " },
		{ 9, "90 % of their time waiting (ready to run, for a CPU); " },
		{ 3, "90 % of their time waiting (60 % asleep or blocked, 30 % ready without a "
		     "CPU); " },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_report_thread thread = { .share = 1,
			.cpu_ns = S,
			.waits = { .all_ns = 9 * S, .ready_ns = rows[i].ready_s * S },
			.n_voluntary = 75,
			.n_involuntary = 25 };
		struct subject s = { .report = { .threads = &thread, .n_threads = 1 } };

		find(&s);
		CHECK_MSG(finding_with(&s.report, rows[i].said), "%s",
			s.report.said.findings[0].text);
		CHECK(!finding_with(&s.report, "left a CPU"));
		finish(&s);
	}
}

/* A machine that was busy before the run held it up, or it did not. */
TEST(what_a_busy_machine_did)
{
	static const struct {
		struct ep_report_waits waits;
		const char *said;
		const char *selection;
	} rows[] = {
		{ { .all_ns = S, .has_unknown = true }, "If it still was, the run took longer" },
		{ { .all_ns = S, .ready_ns = S / 100 },
			"It hardly held the run up: its threads were ready without a CPU 0.1 % of "
			"their time." },
		{ { .all_ns = 5 * S, .ready_ns = 5 * S },
			"that is a part of the time in which the threads were ready without a CPU, "
			"33 % of theirs" },
		{ { .all_ns = 5 * S, .ready_ns = 5 * S }, "about 33 % of theirs",
			"from 1 s to 2 s" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_report_thread thread = { .share = 1, .cpu_ns = 10 * S };
		struct subject s = { .report = { .threads = &thread,
					     .selection = rows[i].selection,
					     .n_threads = 1,
					     .n_cpus = 4,
					     .load = ep_quantity_exact(3.9) } };

		thread.waits = rows[i].waits;
		find(&s);
		CHECK_MSG(finding_with(&s.report, rows[i].said), "%s",
			s.report.said.findings[0].text);
		finish(&s);
	}
}

/* By the machine's account of the run itself, whatever its load was before. */
TEST(what_other_programs_did)
{
	static const struct {
		double others_cpus, load;
		struct ep_report_waits waits;
		const char *said; /* NULL: nothing */
	} rows[] = {
		{ 1.64, 0.1, { .all_ns = 27 * S, .ready_ns = 27 * S },
			"Other programs kept 1.6 of the machine's 4 CPUs busy during the run. Its "
			"threads were ready without a CPU 73.0 % of their time; shares" },
		{ 3.9, 9, { .all_ns = S, .ready_ns = S / 100 },
			"They hardly held it up: its threads were ready without a CPU 0.1 %" },
		{ 1, 9, { .all_ns = S, .has_unknown = true },
			"The run may have taken longer for that; shares of CPU time change little." },
		{ 0.9, 9, { .all_ns = 27 * S, .ready_ns = 27 * S }, NULL },
		{ 0, 9, { .all_ns = S, .has_unknown = true }, NULL },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_report_thread thread = {
			.share = 1, .cpu_ns = 10 * S, .waits = rows[i].waits
		};
		struct subject s = { .report = { .threads = &thread,
					     .n_threads = 1,
					     .n_cpus = 4,
					     .load = ep_quantity_exact(rows[i].load),
					     .others_cpus =
						     ep_quantity_exact(rows[i].others_cpus) } };

		find(&s);
		CHECK_MSG(!rows[i].said || finding_with(&s.report, rows[i].said), "row %zu", i);
		CHECK(rows[i].said || !finding_with(&s.report, "Other programs"));
		CHECK(!finding_with(&s.report, "minute before"));
		finish(&s);
	}
}

TEST(what_was_taken)
{
	struct subject s = { .report = { .stolen_share = ep_quantity_exact(0.031),
				     .limited_share = ep_quantity_exact(0.5),
				     .limited_s = ep_quantity_exact(1.5) } };

	find(&s);
	CHECK(finding_with(&s.report, "gave 3 % of the CPU time that the machine had work for"));
	CHECK(finding_with(
		&s.report, "stopped it in 50 % of the scheduler's periods, for 1.5 s in all"));
	ep_said_finish(&s.report.said);
	s.report.stolen_share = s.report.limited_share = ep_quantity_unknown(NULL);
	find(&s);
	CHECK_INT(s.report.said.n_findings, 0);
	finish(&s);
}

TEST(code_for_a_gpu_is_not_the_gpus_time)
{
	static const struct {
		enum ep_activity activity;
		const char *said; /* NULL: nothing */
	} rows[] = {
		{ EP_ACTIVITY_GPU, "the profiler of a GPU's maker shows what the GPU did" },
		{ EP_ACTIVITY_ALGEBRA, NULL },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct subject subject = { .report = { .n_activities = 1 } };

		subject.report.activities[0].activity = rows[i].activity;
		find(&subject);
		CHECK((finding_with(&subject.report, "GPU") != NULL) == (rows[i].said != NULL));
		CHECK(!rows[i].said || finding_with(&subject.report, rows[i].said));
		finish(&subject);
	}
}
