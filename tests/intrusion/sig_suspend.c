/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that unblock signals while they wait (sigsuspend, ppoll, pselect, epoll_pwait) must return once for each signal
 * of the program, and never for another signal.
 */
#include "probe.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

enum { N_ROUNDS = 1500 };

static atomic_int n_seen;
static sigset_t none;

static void note(int s)
{
	n_seen++;
}

static void with_sigsuspend(void)
{
	EXPECT_INT(sigsuspend(&none), -1);
}

static void with_ppoll(void)
{
	EXPECT_INT(ppoll(NULL, 0, NULL, &none), -1);
}

static void with_pselect(void)
{
	EXPECT_INT(pselect(0, NULL, NULL, NULL, NULL, &none), -1);
}

static void with_epoll_pwait(void)
{
	static int epoll_fd = -1;
	struct epoll_event event;

	if (epoll_fd < 0)
		epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	EXPECT_INT(epoll_pwait(epoll_fd, &event, 1, -1, &none), -1);
}

static void *work(void *stop)
{
	while (!atomic_load((atomic_int *)stop))
		burn_us(500);
	return NULL;
}

int main(void)
{
	static void (*const ways[])(
		void) = { with_sigsuspend, with_ppoll, with_pselect, with_epoll_pwait };
	struct sigaction own = { .sa_handler = note };
	atomic_int stop = 0;
	pthread_t thread;
	sigset_t usr1, all;

	sigemptyset(&none);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigfillset(&all);
	sigaction(SIGUSR1, &own, NULL);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	pthread_create(&thread, NULL, work, &stop);
	for (int i = 0; i < N_ROUNDS; i++) {
		int n_before = n_seen;

		burn_us(100 + i % 17 * 50);
		EXPECT_INT(n_seen, n_before);
		pthread_kill(pthread_self(), SIGUSR1);
		ways[i % 4]();
		EXPECT_INT(errno, EINTR);
		EXPECT_INT(n_seen, n_before + 1);
	}
	stop = 1;
	pthread_join(thread, NULL);
	return probe_end();
}
