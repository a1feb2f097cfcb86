/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process must have only the children that the program makes: wait() fails at once if there are none, each child is
 * reaped once, and one SIGCHLD comes for each child that ends.
 */
#include "probe.h"

static atomic_int n_signals;

static void note(int s)
{
	n_signals++;
}

static void expect_none(void)
{
	siginfo_t info;

	EXPECT_INT(wait(NULL), -1);
	EXPECT_INT(errno, ECHILD);
	EXPECT_INT(waitpid(-1, NULL, WNOHANG | __WALL), -1);
	EXPECT_INT(errno, ECHILD);
	EXPECT_INT(waitid(P_ALL, 0, &info, WEXITED), -1);
}

static void make_some(int n_children)
{
	int sum = 0, status;

	for (int i = 0; i < n_children; i++)
		if (probe_fork() == 0) {
			burn_us(300);
			_exit(i);
		}
	for (int i = 0; i < n_children; i++) {
		EXPECT(wait(&status) > 0);
		sum += WEXITSTATUS(status);
	}
	EXPECT_INT(sum, n_children * (n_children - 1) / 2);
	expect_none();
}

static void count_signals(void)
{
	struct sigaction own = { .sa_handler = note, .sa_flags = SA_RESTART | SA_NOCLDSTOP };

	sigaction(SIGCHLD, &own, NULL);
	burn_ms(20);
	EXPECT_INT(n_signals, 0);
	for (int i = 1; i <= 20; i++) {
		pid_t pid = probe_fork();

		if (pid == 0) {
			burn_us(500);
			_exit(0);
		}
		probe_wait(pid);
		EXPECT_INT(n_signals, i);
	}
	signal(SIGCHLD, SIG_IGN);
	if (probe_fork() == 0)
		_exit(0);
	expect_none();
	signal(SIGCHLD, SIG_DFL);
}

int main(void)
{
	expect_none();
	burn_ms(20);
	expect_none();
	for (int i = 0; i < 5; i++)
		make_some(20);
	count_signals();
	return probe_end();
}
