// SPDX-License-Identifier: BSD-3-Clause
/* Too many threads for the CPUs; what else is said of the CPUs is in test_in_short.c. */
#include "tests/unit/crowded_run.h"

TEST(more_threads_than_cpus)
{
	struct subject s;

	init(&s);
	CHECK(says(&s, "8 threads shared the machine's 4 CPUs and waited for each other"));
	CHECK(says(&s, "(OMP_NUM_THREADS, or ranks)"));
	s.report.activities[0].activity = EP_ACTIVITY_OWN; /* nobody waits */
	CHECK(!says(&s, "shared"));
	s.report.activities[0].activity = EP_ACTIVITY_OPENMP;
	s.report.n_cpus = N_THREADS;
	CHECK(!says(&s, "shared"));
	s.report.n_cpus = N_CPUS;
	for (int i = 2; i < N_THREADS; i++) /* helpers that did next to nothing */
		s.threads[i].cpu_ns = 1000000;
	CHECK(!says(&s, "shared"));
	ep_said_finish(&s.report.said);
}

/* The same with processes that are no ranks, such as make's: they come one after the other. */
TEST(processes_that_do_not_belong_together)
{
	struct subject s;

	init(&s);
	s.processes[0].rank = s.processes[1].rank = NULL;
	s.report.n_ranks = 0;
	CHECK(!says(&s, "shared"));
	s.report.n_cpus = 2;
	CHECK(says(&s, "4 threads shared the machine's 2 CPUs"));
	CHECK(says(&s, "(OMP_NUM_THREADS)."));
	ep_said_finish(&s.report.said);
}
