// SPDX-License-Identifier: BSD-3-Clause
/* Sentences on threads that lacked CPUs, by the facts that are known of them. */
#include "reporter/words/words.h"
#include "tests/unit/crowded_run.h"

static void know(struct subject *s, uint64_t ready_ms)
{
	for (uint32_t i = 0; i < N_THREADS; i++)
		s->threads[i].waits = (struct ep_report_waits){ .all_ns = 1000000000,
			.ready_ns = ready_ms * 1000000 };
}

TEST(what_is_known_is_not_guessed)
{
	struct subject s;

	init(&s);
	CHECK(isnan(ep_lacking_share(&s.report)));
	know(&s, 500);
	CHECK_CLOSE(ep_lacking_share(&s.report), 0.25, 1e-12);
	CHECK(says(&s,
		"The threads were ready to run but had no CPU 25 % of their time: 8 threads share "
		"the machine's 4 CPUs. They wait for each other, and each wait lasts until "
		"others had their turn. Try 2 threads (OMP_NUM_THREADS, where OpenMP makes "
		"them) for each of 2 ranks."));
	know(&s, 100); /* they slept: it was not the CPUs */
	CHECK(!says(&s, "share"));
	know(&s, 500);
	s.threads[3].waits.has_unknown = true;
	CHECK(isnan(ep_lacking_share(&s.report)));
	s.threads[3].cpu_ns = 1000; /* that one did nothing */
	CHECK_CLOSE(ep_lacking_share(&s.report), 0.25, 1e-12);
	s.report.n_threads = 0;
	CHECK(isnan(ep_lacking_share(&s.report)));
	ep_said_finish(&s.report.said);
}

/* A script's processes do little each, and all of them most: the one that has more does not stand for the program. */
TEST(many_that_do_little_count_together)
{
	enum { N = 40 };
	struct ep_report_thread threads[N];
	struct subject s;

	init(&s);
	s.report.threads = threads;
	for (uint32_t i = 0; i < N; i++)
		threads[i] = (struct ep_report_thread){ .pid = 1 + i,
			.cpu_ns = i ? 50000000 : 1000000000,
			.waits = { .all_ns = 1000000000, .ready_ns = i ? 0 : 500000000 } };
	s.report.n_threads = 20; /* those that do little have 0.95 s together */
	CHECK_CLOSE(ep_lacking_share(&s.report), 0.25, 1e-12);
	CHECK(says(&s, "The program was ready to run but had no CPU 25 % of its time"));
	s.report.n_threads = N; /* 1.95 s */
	for (uint32_t i = 1; i < N; i++)
		threads[i].waits.ready_ns = 900000000;
	CHECK_CLOSE(ep_lacking_share(&s.report), 35.6 / 42.95, 1e-12);
	CHECK(says(&s, "The threads were ready to run but had no CPU 83 % of their time"));
	ep_said_finish(&s.report.said);
}

/* One process on 64 CPUs, bound to some of them; or several, that take turns on all. */
TEST(who_had_the_cpus)
{
	static const struct {
		uint32_t n_threads, n_ranks, n_allowed, n_cpus;
		double cpus_used;
		bool is_openmp;
		const char *said;
	} rows[] = {
		{ 4, 0, 2, 64, 1.9, true,
			"of their time: 4 threads share 2 of the machine's 64 CPUs, to which the "
			"process is bound (by taskset, mpirun --bind-to, a batch system or a "
			"container's limit). Try OMP_NUM_THREADS=2, or give it more CPUs." },
		{ 4, 0, 1, 64, 1, false,
			"Try 1 thread (OMP_NUM_THREADS, where OpenMP makes them), or" },
		{ 4, 0, 4, 4, 2, false,
			"of their time: other programs used the CPUs, or they wanted the same "
			"ones at the same moments." },
		{ 8, 0, 0, 4, 3.9, false,
			"of their time: together they had work for 6.0 CPUs on average, and there "
			"are 4." },
		{ 1, 0, 1, 4, 0.5, false,
			"The program was ready to run but had no CPU 25 % of its time: other "
			"programs ran on the 1 of the machine's 4 CPUs to which it is bound" },
		{ 8, 2, 4, 64, 5, false,
			"other programs, or other ranks, ran on the 4 of the machine's 64" },
		{ 8, 8, 4, 4, 3.9, false, "8 threads share the machine's 4 CPUs." },
		{ 8, 8, 4, 4, 3.9, false, "Try no more than 4 ranks." },
		{ 8, 4, 4, 4, 3.9, true, "Try OMP_NUM_THREADS=1 for each of 4 ranks." },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_module_info modules[] = { { .path = "/lib/libc.so.6" },
			{ .path = "/lib/libgomp.so.1.0.0" } };
		struct subject s;

		init(&s);
		know(&s, 500);
		s.report.n_threads = rows[i].n_threads;
		s.report.n_ranks = rows[i].n_ranks;
		s.report.n_cpus = rows[i].n_cpus;
		s.report.cpus_used = rows[i].cpus_used;
		s.report.n_activities = 0;
		s.processes[0].n_cpus_allowed = s.processes[1].n_cpus_allowed = rows[i].n_allowed;
		if (!rows[i].n_ranks)
			s.processes[0].rank = s.processes[1].rank = NULL;
		s.trace.modules = modules;
		s.trace.n_modules = rows[i].is_openmp ? 2 : 1;
		CHECK_MSG(says(&s, rows[i].said), "%zu: %s", i, s.report.said.in_short[0]);
		ep_said_finish(&s.report.said);
	}
}

/* The rest of the run is beside the part that --process and --thread chose. */
TEST(others_are_the_rest_of_the_run_too)
{
	struct subject s;

	init(&s);
	know(&s, 500);
	s.report.selection = "only thread 12: 1 of 9 threads";
	s.report.n_threads = 1;
	s.report.n_ranks = 0;
	s.processes[0].rank = s.processes[1].rank = NULL;
	s.report.n_cpus = s.processes[0].n_cpus_allowed = s.processes[1].n_cpus_allowed = 4;
	CHECK(says(&s, "25 % of its time: the rest of the run or other programs used the CPUs."));
	s.processes[0].n_cpus_allowed = s.processes[1].n_cpus_allowed = 1;
	CHECK(says(&s, "the rest of the run, or other programs, ran on the 1 of the machine's 4"));
	ep_said_finish(&s.report.said);
}

/* Neither a busy machine nor a free CPU is a reason then. */
TEST(turns_and_waiting_that_are_not_for_a_cpu)
{
	struct subject s;

	init(&s);
	know(&s, 10);
	s.report.load = ep_quantity_exact(9);
	s.report.duration_s = 10;
	s.report.cpus_used = 1;
	CHECK(says(&s,
		"only 1.00 CPUs busy: they slept, or waited for data, a lock (python's GIL is "
		"one) or each other."));
	s.report.duration_s = 20;
	s.report.cpus_used = 0.1;
	CHECK(says(&s, "(for data, a lock, another program or a user)"));
	know(&s, 900); /* they had work, and others the CPUs: it did not wait for data */
	CHECK(says(&s, "time: other programs used the CPUs, or they wanted"));
	CHECK(!says(&s, "the program slept, or waited"));
	s.report.duration_s = 40;
	CHECK(says(&s, "the program slept, or waited"));
	ep_said_finish(&s.report.said);
}

/* A limit is said before the threads that met it are counted; a host's part beside everything else.
 */
TEST(limits_and_hosts)
{
	struct subject s;

	init(&s);
	know(&s, 500);
	s.report.n_ranks = 0;
	s.report.limited_share = ep_quantity_exact(0.43);
	s.processes[0].n_cpus_allowed = 2;
	CHECK(says(&s, "25 % of their time: the CPU limit of the run's container or batch job "
		       "stopped it in 43 % of the scheduler's periods. Try 2 threads "
		       "(OMP_NUM_THREADS, where OpenMP makes them), or a higher limit."));
	CHECK(!says(&s, "share"));
	s.processes[0].n_cpus_allowed = 4;
	CHECK(says(&s, "periods. A higher limit makes it quicker."));
	s.report.limited_share = ep_quantity_exact(0.01);
	CHECK(!says(&s, "limit of the run"));
	CHECK(!says(&s, "steal"));
	s.report.stolen_share = ep_quantity_exact(0.12);
	CHECK(says(&s,
		"The host of this virtual machine gave 12 % of its CPU time to others (steal)"));
	CHECK(says(&s, "The threads were ready"));
	s.report.stolen_share = ep_quantity_exact(0.03);
	CHECK(!says(&s, "steal"));
	ep_said_finish(&s.report.said);
}

/* Two ranks of four threads each on 64 CPUs. */
TEST(ranks_that_are_bound_to_the_same)
{
	static const struct {
		const char *first, *second; /* the CPUs of each */
		const char *said;
	} rows[] = {
		{ "0-1", "0-1",
			"8 threads share 2 of the machine's 64 CPUs, to which all ranks are bound "
			"(mpirun --report-bindings shows it). They wait for each other, and each "
			"wait lasts until others had their turn. Try 1 thread (OMP_NUM_THREADS, "
			"where OpenMP makes them) for each of 2 ranks." },
		{ "7", "7", "Try no more than 1 rank, or give them more CPUs." },
		{ "0-1", "2-5", "other programs, or other ranks, ran on" },
		{ "0-1", NULL, "8 threads share 2 of the machine's 64 CPUs" },
		{ "0-1", "x", "other programs, or other ranks, ran on" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct subject s;

		init(&s);
		know(&s, 500);
		s.report.n_cpus = 64;
		s.processes[0].n_cpus_allowed = s.processes[1].n_cpus_allowed = 4;
		s.processes[0].cpus_allowed = rows[i].first;
		s.processes[1].cpus_allowed = rows[i].second;
		CHECK_MSG(says(&s, rows[i].said), "%zu: %s", i, s.report.said.in_short[0]);
		ep_said_finish(&s.report.said);
	}
}

/* The same CPUs of two machines are others. */
TEST(ranks_of_two_machines)
{
	struct subject s;

	init(&s);
	know(&s, 500);
	s.report.n_hosts = 2;
	s.report.n_cpus = 128;
	s.processes[0].host = "node1";
	s.processes[1].host = "node2";
	s.processes[0].cpus_allowed = s.processes[1].cpus_allowed = "0-3";
	CHECK(!says(&s, "share"));
	s.processes[0].cpus_allowed = s.processes[1].cpus_allowed = "0-1";
	CHECK(says(&s, "8 threads share 4 of the machines' 128 CPUs"));
	ep_said_finish(&s.report.said);
}

/* Four threads that lack one CPU together. Idle CPUs on average do not prove a binding: work that
 * comes in bursts has none in the burst. */
TEST(idle_cpus)
{
	static const struct {
		double used, others;
		const char *said;
	} rows[] = {
		{ 2, 1.5,
			"25 % of their time: other programs kept 1.5 of the machine's 4 CPUs busy." },
		{ 2, 0.2,
			"1.8 of the machine's 4 CPUs were idle on average, so they wanted the same ones" },
		{ 2, 0.3,
			"25 % of their time: 1.7 of the machine's 4 CPUs were idle on average, so they "
			"and other programs wanted the same ones at the same moments" },
		{ 2.9, 0.3,
			"25 % of their time: 0.8 of the machine's 4 CPUs were idle on average, so they" },
		{ 2.2, 0.5, "idle on average" },
	};
	struct subject s;

	init(&s);
	know(&s, 500);
	s.report.n_ranks = 0;
	s.processes[0].rank = s.processes[1].rank = NULL;
	s.report.n_threads = 4;
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		s.report.cpus_used = rows[i].used;
		s.report.others_cpus = ep_quantity_exact(rows[i].others);
		CHECK_MSG(says(&s, rows[i].said), "%zu: %s", i, s.report.said.in_short[0]);
		CHECK_MSG(!says(&s, "are bound to a few"), "%zu", i);
	}
	ep_said_finish(&s.report.said);
}

/* Short processes have few samples: the kernel charged the run far more than these tell, and no CPU was idle. */
TEST(cpus_of_processes_without_samples_are_not_idle)
{
	struct subject s;

	init(&s);
	know(&s, 500);
	s.report.n_ranks = 0;
	s.processes[0].rank = s.processes[1].rank = NULL;
	s.report.n_threads = 4;
	s.report.cpus_used = 2;
	s.report.untold_s = 1.7 * s.report.duration_s;
	s.report.others_cpus = ep_quantity_exact(0.2);
	CHECK_MSG(!says(&s, "idle on average"), "%s", s.report.said.in_short[0]);
	ep_said_finish(&s.report.said);
}

/* Others that take much less than the threads lack are no reason by themselves. */
TEST(others_that_explain_little)
{
	struct subject s;

	init(&s);
	know(&s, 900);
	s.report.n_ranks = 0;
	s.processes[0].rank = s.processes[1].rank = NULL;
	s.report.n_threads = 4;
	s.report.cpus_used = 2;
	s.report.others_cpus = ep_quantity_exact(0.7);
	CHECK_MSG(
		says(&s, "they and other programs (0.7 of the machine's 4 CPUs) wanted the CPUs at "
			 "the same moments."),
		"%s", s.report.said.in_short[0]);
	s.report.n_cpus = 64;
	s.processes[0].n_cpus_allowed = s.processes[1].n_cpus_allowed = 4;
	CHECK(says(
		&s, "other programs, or others of its threads, ran on the 4 of the machine's 64"));
	ep_said_finish(&s.report.said);
}

/* Eight threads on four CPUs, which others kept busy during the run. */
TEST(others_come_before_too_many_threads)
{
	struct subject s;

	init(&s);
	know(&s, 500);
	s.report.cpus_used = 0.8;
	s.report.others_cpus = ep_quantity_exact(3.2);
	CHECK_MSG(
		says(&s,
			"25 % of their time: other programs kept 3.2 of the machine's 4 CPUs busy; "
			"besides, 8 threads share the machine's 4 CPUs."),
		"%s", s.report.said.in_short[0]);
	s.report.others_cpus = ep_quantity_exact(0.1);
	CHECK(says(&s, "25 % of their time: 8 threads share the machine's 4 CPUs."));
	ep_said_finish(&s.report.said);
}

/* A program that another one executed has its pid, and is another process: the two are not bound to too few CPUs
 * together. */
TEST(processes_of_one_pid_are_not_one)
{
	struct subject s;

	init(&s);
	know(&s, 500);
	s.report.n_ranks = 0;
	s.report.n_cpus = 64;
	for (uint32_t i = 0; i < N_RANKS; i++) {
		s.processes[i].rank = NULL;
		s.processes[i].n_cpus_allowed = 3;
	}
	for (uint32_t i = 0; i < N_THREADS; i++) {
		s.threads[i].pid = 1;
		s.threads[i].process_idx = i / 4;
	}
	CHECK_MSG(!says(&s, "4 threads share 3 of"), "%s", s.report.said.in_short[0]);
	s.processes[0].n_cpus_allowed = s.processes[1].n_cpus_allowed = 2;
	CHECK(says(&s, "4 threads share 2 of the machine's 64 CPUs"));
	ep_said_finish(&s.report.said);
}
