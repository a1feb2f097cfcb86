/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program that exec probes start, linked dynamically and statically. It must have been given only the standard
 * descriptors; no signal may be pending, blocked or ignored, and no timer may run.
 */
#include "probe.h"

#include <sys/time.h>

static void check_signals(void)
{
	struct sigaction action;
	sigset_t set;

	sigpending(&set);
	for (int s = 1; s <= 64; s++)
		EXPECT_MSG(sigismember(&set, s) != 1, "signal %d is pending", s);
	sigprocmask(SIG_BLOCK, NULL, &set);
	for (int s = 1; s <= 64; s++)
		EXPECT_MSG(sigismember(&set, s) != 1, "signal %d is blocked", s);
	for (int s = 1; s <= 64; s++)
		EXPECT_MSG(sigaction(s, NULL, &action) || action.sa_handler == SIG_DFL,
			"signal %d is not at its default", s);
}

static void check_descriptors(void)
{
	for (int fd = 3; fd < 200; fd++)
		EXPECT_MSG(fcntl(fd, F_GETFD) < 0, "descriptor %d is open", fd);
}

static void check_timers(void)
{
	struct itimerval timer;

	for (int which = ITIMER_REAL; which <= ITIMER_PROF; which++) {
		getitimer(which, &timer);
		EXPECT_INT(timer.it_value.tv_sec + timer.it_value.tv_usec, 0);
	}
}

int main(void)
{
	check_signals();
	check_descriptors();
	check_timers();
	burn_us(1000);
	check_signals();
	return probe_end();
}
