// SPDX-License-Identifier: BSD-3-Clause
/* The report in a few sentences: which are said of which run. */
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/words/words.h"

enum { N = 4 };

/* A run with everything to be said left out; rows of self and total per cent. */
struct subject {
	struct ep_trace trace;
	struct ep_report report;
	struct ep_report_row procedures[N];
	struct ep_report_row module;
	struct ep_report_thread threads[N];
	struct ep_report_program programs[N];
};

static const char *const names[N] = { "solve", "gather", "copy", "[kernel]" };

static void init(struct subject *s, const double self[N], const double total[N])
{
	*s = (struct subject){ .report = { .n_samples = 1000,
				       .duration_s = 2,
				       .n_cpus = 4,
				       .cpus_used = 1.6,
				       .procedures = { .rows = s->procedures, .n_rows = N },
				       .modules = { .rows = &s->module, .n_rows = 1 },
				       .threads = s->threads,
				       .n_threads = 1,
				       .programs = s->programs,
				       .n_programs = 1 } };
	for (int i = 0; i < N; i++)
		s->procedures[i] = (struct ep_report_row){ .name = names[i],
			.kind = i == N - 1 ? EP_SYMBOL_KERNEL : EP_SYMBOL_PROCEDURE,
			.short_name = names[i],
			.module = "/opt/app",
			.module_name = "app",
			.self_share = self[i],
			.total_share = total[i] };
	s->module = (struct ep_report_row){ .name = "app",
		.short_name = "app",
		.module = "/opt/app",
		.module_name = "app",
		.self_share = 0.9 };
	s->threads[0] = (struct ep_report_thread){ .name = "app", .tid = 7, .share = 1 };
	s->programs[0] = (struct ep_report_program){ "app", 1, 1, 1, 1, "app" };
}

static bool says(struct subject *s, const char *part)
{
	struct ep_words words = {
		.trace = &s->trace, .report = &s->report, .said = &s->report.said
	};
	bool found = false;

	ep_said_finish(&s->report.said);
	ep_build_in_short(&words);
	for (uint32_t i = 0; i < s->report.said.n_in_short; i++)
		found |= strstr(s->report.said.in_short[i], part) != NULL;
	if (!found)
		for (uint32_t i = 0; i < s->report.said.n_in_short; i++)
			printf("# it says: %s\n", s->report.said.in_short[i]);
	return found;
}

static void finish(struct subject *s)
{
	ep_said_finish(&s->report.said);
}

TEST(where_the_time_went)
{
	static const struct {
		double self[N];
		const char *said;
	} rows[] = {
		{ { 0.7, 0.1, 0.1, 0.1 }, "70 % of the CPU time went to solve." },
		{ { 0.4, 0.3, 0.2, 0.1 },
			"70 % of the CPU time went to solve (40 %) and gather (30 %)." },
		{ { 0.15, 0.1, 0.05, 0.02 }, "spread over 4 procedures: the largest are solve (15 "
					     "%), gather (10 %) and copy" },
		{ { 0.15, 0.1, 0.02, 0.02 }, "the largest are solve (15 %) and gather (10 %)." },
		{ { 0.3, 0.02, 0.01, 0.01 }, "the largest is solve (30 %)." },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct subject s;

		init(&s, rows[i].self, rows[i].self);
		CHECK(says(&s, rows[i].said));
		finish(&s);
	}
}

static const double plain[N] = { 0.4, 0.3, 0.2, 0.1 };

TEST(how_the_cpus_were_used)
{
	struct subject s;

	init(&s, plain, plain);
	CHECK(says(&s, "On average 1.6 of the machine's 4 CPUs were busy"));
	s.report.unseen_s = 0.5; /* what was busy is not known then */
	CHECK(!says(&s, "CPUs were busy"));
	s.report.unseen_s = 0;
	s.report.is_simulated = true;
	CHECK(!says(&s, "CPUs were busy"));
	s.report.is_simulated = false;
	s.report.cpus_used = 0.3;
	CHECK(says(&s, "For most of its 2 s the program slept, or waited"));
	CHECK(says(&s, "computing took 30 % of that time"));
	CHECK(says(&s, "(for data, another program"));
	s.threads[1] = (struct ep_report_thread){ .name = "idle", .share = 0.001 };
	s.report.n_threads = 2; /* one that hardly computes may hold the lock */
	CHECK(says(&s, "(for data, a lock, another program"));
	s.report.n_threads = 1;
	s.report.selection = "only thread 12"; /* which lived for half as long */
	for (uint32_t i = 0; i < s.report.n_threads; i++) {
		s.report.threads[i].start_s = 0.5;
		s.report.threads[i].duration_s = 1;
	}
	CHECK(!says(&s, "waited"));
	s.report.cpus_used = 0.2;
	CHECK(says(&s, "For most of its 1 s what is shown slept, or waited"));
	CHECK(says(&s, "computing took 40 % of that time"));
	finish(&s);
}

TEST(threads_that_take_turns_and_threads_with_nothing_to_do)
{
	struct subject s;

	init(&s, plain, plain);
	s.report.n_threads = 3;
	s.report.cpus_used = 0.95;
	for (int i = 0; i < 3; i++)
		s.threads[i] = (struct ep_report_thread){ .pid = 1, .name = "w", .share = 0.3 };
	CHECK(says(&s, "3 threads shared the work, but together kept only 0.95 CPUs busy"));
	s.report.cpus_used = 2.5;
	CHECK(!says(&s, "shared the work"));
	s.report.cpus_used = 1.1;
	s.threads[0].share = 0.9;
	CHECK(says(&s, "One of 3 threads (w 0) did 90 % of the work"));
	s.threads[0].share = 0.7;
	CHECK(says(&s, "did 70 % of the work"));
	s.threads[0].share = 0.6;
	CHECK(!says(&s, "of the work:"));
	finish(&s);
}

TEST(names_of_templates_do_not_fill_the_screen)
{
	struct subject s;

	init(&s, plain, plain);
	s.procedures[0].short_name = "std::_Hashtable<int, std::pair<int const, int>, "
				     "std::allocator<int>, std::hash<int> >::find";
	CHECK(says(&s, "went to std::_Hashtable<...>::find (40 %)"));
	CHECK(says(&s, "Look first at std::_Hashtable<...>::find:"));
	finish(&s);
}

/* A sentence on OpenMP does not hide the program's own loops. */
TEST(the_first_look_is_at_what_was_not_yet_told)
{
	static const double self[N] = { 0.2, 0.3, 0.05, 0.01 };
	struct subject s;

	init(&s, self, self);
	s.procedures[1].module = "libgomp.so.1";
	s.procedures[1].name = s.procedures[1].short_name = "libgomp.so.1+0x1f5e0";
	s.report.activities[0] = (struct ep_report_activity){
		.activity = EP_ACTIVITY_OPENMP, .share = 0.3, .error = 0.01
	};
	s.report.n_activities = 1;
	CHECK(says(&s, "Look first at solve: at most 20 %"));
	finish(&s);
}

/* env, bash and python one after the other are one process of the system, and no threads of each other. */
TEST(programs_executed_one_after_the_other_are_no_threads)
{
	struct subject s;

	init(&s, plain, plain);
	s.report.n_threads = 3;
	s.report.cpus_used = 1;
	for (uint32_t i = 0; i < 3; i++)
		s.threads[i] = (struct ep_report_thread){
			.process_idx = i, .pid = 1, .name = "w", .share = i ? 0.05 : 0.9
		};
	CHECK(!says(&s, "One of 3 threads"));
	CHECK(!says(&s, "threads shared the work"));
	finish(&s);
}

TEST(threads_without_cpus)
{
	struct subject s;
	struct ep_report_process process = { .pid = 1 };

	init(&s, plain, plain);
	s.report.n_threads = 3;
	s.report.cpus_used = 0.95;
	s.report.processes = &process;
	s.report.n_processes = 1;
	for (int i = 0; i < 3; i++)
		s.threads[i] = (struct ep_report_thread){ .pid = 1, .name = "w", .share = 0.3 };
	s.report.load = ep_quantity_unknown(NULL);
	CHECK(says(&s, "busy: either they slept, or waited for data, a lock (python's GIL is one) "
		       "or each other, or other programs used the CPUs."));
	s.report.load = ep_quantity_exact(0.4);
	CHECK(says(&s, "busy: they slept, or waited for data, a lock (python's GIL is one) or each "
		       "other."));
	s.report.load = ep_quantity_exact(6.25);
	CHECK(says(&s, "busy: either other programs used the CPUs (a load of 6.2 on 4 CPUs in the "
		       "minute before), or they slept"));
	process.n_cpus_allowed = 2;
	CHECK(says(&s, "3 threads share 2 of the machine's 4 CPUs: the process is bound to them"));
	CHECK(!says(&s, "a lock"));
	process.n_cpus_allowed = 3;
	CHECK(!says(&s, "bound"));
	finish(&s);
}

TEST(what_is_waited_for)
{
	struct subject s;

	init(&s, plain, plain);
	s.report.cpus_used = 0.2;
	s.report.load = ep_quantity_exact(3.5);
	CHECK(says(&s, "another program, a user or a free CPU)"));
	s.report.load = ep_quantity_exact(1);
	CHECK(says(&s, "(for data, another program or a user)"));
	s.report.n_threads = 2;
	for (int i = 0; i < 2; i++)
		s.threads[i] = (struct ep_report_thread){ .pid = 1, .name = "w", .share = 0.5 };
	CHECK(says(&s, "(for data, a lock, another program or a user)"));
	finish(&s);
}

/* An interpreter's four threads, and many that its start left behind. */
TEST(idle_threads_do_not_make_the_others_uneven)
{
	struct subject s;
	struct ep_report_thread threads[12] = { 0 };

	init(&s, plain, plain);
	s.report.threads = threads;
	s.report.n_threads = 12;
	s.report.cpus_used = 0.6;
	for (int i = 0; i < 12; i++)
		threads[i] = (struct ep_report_thread){
			.pid = 1, .name = "w", .share = i < 4 ? 0.24 : 0.005
		};
	CHECK(!says(&s, "of the work:"));
	CHECK(says(&s, "4 threads shared the work"));
	finish(&s);
}

TEST(where_to_look)
{
	static const double total[N] = { 0.4, 0.95, 0.2, 0.1 };
	struct subject s;

	init(&s, plain, total);
	s.procedures[1].hot_file = "/src/grid.c";
	s.procedures[1].hot_line = 12;
	CHECK(says(&s,
		"Look first at gather, line grid.c:12: at most 30 % can be saved there, 95 % "
		"with what it calls."));
	s.procedures[1].module = "/usr/lib/libx.so.1";
	s.procedures[1].module_name = "libx.so.1";
	CHECK(says(&s, "gather is code of libx.so.1. See the table 'How it got there'"));
	s.procedures[3].short_name = "_PyEval_EvalFrameDefault";
	s.procedures[3].total_share = 0.9;
	CHECK(says(&s, "gather is code of libx.so.1, called by a script in Python."));
	s.procedures[3].total_share = 0.1;
	s.module = s.procedures[1];
	s.module.self_share = 0.8;
	CHECK(says(&s, "80 % of the CPU time was spent in a library, libx.so.1"));
	s.module.self_ns = 80; /* of them the kernel's, in system calls that the library makes */
	s.module.system_ns = 40;
	CHECK(says(&s, "80 % of the CPU time was spent in a library, libx.so.1"));
	s.module.system_ns = 41;
	CHECK(!says(&s, "a library"));
	finish(&s);
}

TEST(an_interpreter_is_no_library)
{
	static const struct {
		const char *path, *name, *said;
	} rows[] = {
		{ "/usr/lib/libpython3.11.so.1.0", "libpython3.11.so.1.0",
			"in Python's interpreter, libpython3.11.so.1.0, which carries out" },
		{ "/opt/jdk/lib/server/libjvm.so", "libjvm.so",
			"in Java's virtual machine, libjvm.so, which carries out" },
		{ "/usr/lib/libpythonia.so", "libpythonia.so", "in a library, libpythonia.so," },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct subject s;

		init(&s, plain, plain);
		s.module.module = rows[i].path;
		s.module.module_name = rows[i].name;
		CHECK(says(&s, rows[i].said));
		finish(&s);
	}
}

TEST(the_kernel_and_other_programs)
{
	static const double kernel[N] = { 0.3, 0.1, 0.1, 0.25 };
	static struct ep_report_process processes[13];
	struct subject s;

	init(&s, kernel, kernel);
	CHECK(says(&s, "25 % of the CPU time was spent in the kernel"));
	s.report.n_programs = 3;
	s.programs[0] = (struct ep_report_program){ "od", 6, 6, 50, 0.5 };
	s.programs[1] = (struct ep_report_program){ "sort", 1, 1, 40, 0.4 };
	s.programs[2] = (struct ep_report_program){ "cat", 6, 6, 10, 0.1 };
	CHECK(says(&s, "od (50 % in 6 processes), sort (40 % in 1 process)."));
	s.programs[0].share = 0.96;
	s.report.processes = processes;
	s.report.n_processes = 13;
	CHECK(says(&s, "od took 96 % of the CPU time, in 6 of 13 processes."));
	finish(&s);
}

TEST(what_has_no_name_is_said_in_words)
{
	static const double self[N] = { 0.3, 0.1, 0.1, 0.25 };
	struct subject s;

	init(&s, self, self);
	s.report.hidden_ns = 1;
	CHECK(says(&s, "page faults). evprof run --kernel shows which procedures cause it."));
	s.report.hidden_ns = 0; /* the run had --kernel */
	CHECK(!says(&s, "evprof run --kernel"));
	s.procedures[0].kind = EP_SYMBOL_TAIL;
	CHECK(says(&s, "the largest are the kernel (25 %), gather (10 %) and copy (10 %)"));
	s.procedures[0].kind = EP_SYMBOL_RUN_TIME;
	CHECK(says(&s, "the largest are code made at run time (30 %)") ||
		says(&s, "went to code made at run time (30 %)"));
	CHECK(says(&s, "Code made at run time has no names here"));
	finish(&s);
}

TEST(what_the_activities_told_is_not_told_again)
{
	struct subject s;

	init(&s, plain, plain);
	s.report.sampled_ns = 1000;
	s.procedures[0].module = "/usr/lib/libopen-pal.so.40";
	s.procedures[0].module_name = "libopen-pal.so.40";
	CHECK(says(&s, "70 % of the CPU time went to solve (40 %) and gather (30 %)."));
	CHECK(says(&s, "solve is code of libopen-pal.so.40"));
	s.report.activities[0] = (struct ep_report_activity){
		.activity = EP_ACTIVITY_MPI, .ns = 700, .share = 0.7, .error = 0.01
	};
	s.report.n_activities = 1;
	CHECK(says(&s, "70 % of the CPU time went to MPI"));
	CHECK(says(&s, "Of the rest most went to gather (30 %) and copy (20 %)."));
	CHECK(!says(&s, "solve is code of"));
	finish(&s);
}

/* A kernel of 40 %, 30 of which are below a BLAS. */
TEST(shares_that_add_up)
{
	static const double self[N] = { 0.35, 0.15, 0.1, 0.4 };
	struct subject s;

	init(&s, self, self);
	s.procedures[0].module = "/usr/lib/libopenblas.so.0";
	s.report.activities[0] = (struct ep_report_activity){
		.activity = EP_ACTIVITY_ALGEBRA, .share = 0.65, .error = 0.01
	};
	s.report.activities[1] = (struct ep_report_activity){
		.activity = EP_ACTIVITY_KERNEL, .share = 0.1, .error = 0.01
	};
	s.report.n_activities = 2;
	CHECK(says(&s, "65 % of the CPU time went to linear algebra"));
	CHECK(says(
		&s, "Of the rest most went to gather (15 %), copy (10 %) and the kernel (10 %)."));
	s.report.activities[1].share = 0.01;
	CHECK(says(&s, "Of the rest most went to gather (15 %) and copy (10 %)."));
	finish(&s);
}

/* The kernel's share that is left may be less than that of a row behind it. */
TEST(what_is_left_comes_in_order)
{
	static const double self[N] = { 0.35, 0.1, 0.08, 0.47 };
	struct subject s;

	init(&s, self, self);
	s.procedures[0].module = "/usr/lib/libopenblas.so.0";
	s.report.activities[0] = (struct ep_report_activity){
		.activity = EP_ACTIVITY_ALGEBRA, .share = 0.75, .error = 0.01
	};
	s.report.activities[1] = (struct ep_report_activity){
		.activity = EP_ACTIVITY_KERNEL, .share = 0.09, .error = 0.01
	};
	s.report.n_activities = 2;
	CHECK(says(&s, "Of the rest most went to gather (10 %), the kernel (9 %) and copy (8 %)."));
	finish(&s);
}

TEST(procedures_of_one_name_are_told_with_their_libraries)
{
	struct subject s;

	init(&s, plain, plain);
	s.procedures[0].short_name = s.procedures[1].short_name = "plugin_run";
	s.procedures[0].module_name = "liba.so";
	s.procedures[1].module_name = "libb.so";
	CHECK(says(&s, "went to plugin_run of liba.so (40 %) and plugin_run of libb.so (30 %)."));
	finish(&s);
}

TEST(too_few_samples_say_nothing)
{
	struct subject s;

	init(&s, plain, plain);
	s.report.n_samples = 12;
	CHECK(!says(&s, ""));
	finish(&s);
}
/* The loop is said of the one procedure that has the time, where it has most of that. */
TEST(the_loop_that_has_it)
{
	static const double one[N] = { 0.7, 0.1, 0.1, 0.1 }, two[N] = { 0.4, 0.3, 0.2, 0.1 };
	static const char in_loop[] =
		"70 % of the CPU time went to solve, nearly all of it in the loop at fem.c:212.";
	struct subject s;

	init(&s, one, one);
	s.procedures[0].loop = "fem.c:212";
	s.procedures[0].loop_share = 0.9;
	CHECK(says(&s, in_loop));
	s.procedures[0].access = EP_ACCESS_STRIDED;
	CHECK(says(&s, "in the loop at fem.c:212, which goes through memory in strides."));
	s.procedures[0].access = EP_ACCESS_UNKNOWN;
	s.procedures[0].loop_share = 0.6;
	CHECK(says(&s, "went to solve, most of it in the loop at fem.c:212."));
	s.procedures[0].loop_share = 0.4;
	CHECK(says(&s, "went to solve."));
	finish(&s);
	init(&s, two, two);
	s.procedures[0].loop = "fem.c:212";
	s.procedures[0].loop_share = 0.9;
	CHECK(says(&s, "went to solve (40 %) and gather (30 %)."));
	finish(&s);
}
