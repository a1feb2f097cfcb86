/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A launcher like mpirun: it handles every signal, sends each one on to the program that it started, and ends when that
 * program ends. The program must get exactly the signals that were sent to the launcher, each once.
 */
#include "probe.h"

#include <poll.h>

enum { N_ROUNDS = 20, END_STATUS = 5, WAIT_MS = 20000 };

static int arrived[2]; /* a pipe: the signals that arrived; 0: a process is ready */
static pid_t worker;

static bool is_sent(int s)
{
	return s != SIGKILL && s != SIGSTOP && s != SIGCHLD && s != SIGTERM &&
	       (s < 32 || s >= SIGRTMIN);
}

static void put(unsigned char s)
{
	EXPECT_INT(write(arrived[1], &s, 1), 1);
}

/* Returns the next number in the pipe; -1: none came within wait_ms. */
static int next(int wait_ms)
{
	struct pollfd pipe = { .fd = arrived[0], .events = POLLIN };
	unsigned char s;

	return poll(&pipe, 1, wait_ms) > 0 && read(arrived[0], &s, 1) == 1 ? s : -1;
}

static void note(int s)
{
	if (s == SIGTERM)
		_exit(END_STATUS + (probe_n_wrong > 0));
	put(s);
}

static void hand_on(int s)
{
	EXPECT_INT(kill(worker, s), 0);
}

static void take_all(sighandler_t handler)
{
	struct sigaction own = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigfillset(&own.sa_mask);
	for (int s = 1; s <= 64; s++)
		if (is_sent(s) || s == SIGTERM)
			EXPECT_INT(sigaction(s, &own, NULL), 0);
}

static void work(void)
{
	take_all(note);
	put(0);
	for (;;)
		burn_us(500);
}

static void send_all(pid_t launcher)
{
	EXPECT_INT(next(WAIT_MS), 0);
	EXPECT_INT(next(WAIT_MS), 0);
	for (int round = 0; round < N_ROUNDS; round++)
		for (int s = 1; s <= 64; s++)
			if (is_sent(s)) {
				EXPECT_INT(kill(launcher, s), 0);
				EXPECT_INT(next(WAIT_MS), s);
			}
	EXPECT_INT(next(50), -1);
	EXPECT_INT(kill(launcher, SIGTERM), 0);
	_exit(probe_end());
}

/* The launcher is the first process and no forked child, since children do not inherit timers. */
int main(void)
{
	pid_t launcher = getpid(), sender;
	int status = -1;

	EXPECT_INT(pipe(arrived), 0);
	worker = probe_fork();
	if (worker == 0)
		work();
	take_all(hand_on);
	sender = probe_fork();
	if (sender == 0)
		send_all(launcher);
	put(0);
	while (waitpid(worker, &status, WNOHANG) == 0)
		burn_us(500);
	probe_print_status("worker", status);
	probe_print_status("sender", probe_wait(sender));
	return probe_end();
}
