/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Forks while another thread calls sigaction. sigaction in the child must return at once, though the other thread does
 * not exist there and cannot finish its call. The program runs twice: measured by evprof, and excluded.
 */
#include "probe.h"

#include <sys/resource.h>

enum { N_CHILDREN = 60, MAX_SLEEPS = 500 };

static atomic_bool is_done;

static void *ask(void *unused)
{
	struct sigaction seen;

	while (!is_done)
		sigaction(SIGUSR2, NULL, &seen);
	return unused;
}

static long n_sleeps(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw;
}

static void ask_in_child(void)
{
	struct sigaction seen;
	long before = n_sleeps();

	EXPECT_INT(sigaction(SIGUSR1, NULL, &seen), 0);
	EXPECT_MSG(
		n_sleeps() - before < MAX_SLEEPS, "sigaction slept %ld times", n_sleeps() - before);
	_exit(probe_end());
}

int main(int argc, char **argv)
{
	pthread_t thread;

	EXPECT_INT(pthread_create(&thread, NULL, ask, NULL), 0);
	for (int i = 0; i < N_CHILDREN && !probe_n_wrong; i++) {
		pid_t pid = fork();

		if (!pid)
			ask_in_child();
		EXPECT_INT(probe_wait(pid), 0);
	}
	is_done = true;
	pthread_join(thread, NULL);
	if (argc == 1 && !probe_n_wrong) {
		setenv("EVPROF_EXCLUDE", "fork_in_turn", 1);
		execl(probe_sibling("fork_in_turn"), "fork_in_turn", "not measured", NULL);
		EXPECT_MSG(false, "exec failed");
	}
	return probe_end();
}
