/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sig_wait HOW: a program takes all its signals synchronously (by sigwait, sigwaitinfo, sigtimedwait, signalfd, or by
 * the system call with a full mask) while its threads work. It must get exactly the signals that it sent.
 */
#include "probe.h"

#include <sys/signalfd.h>

enum { N_SIGNALS = 400 };

static sigset_t all;
static atomic_int stop;
static int signal_fd;

static int by_sigwait(void)
{
	int s = -1;

	EXPECT_INT(sigwait(&all, &s), 0);
	return s;
}

static int by_sigwaitinfo(void)
{
	siginfo_t info = { 0 };
	int s = sigwaitinfo(&all, &info);

	EXPECT_INT(info.si_signo, s);
	EXPECT_INT(info.si_code, SI_QUEUE);
	return s;
}

static int by_sigtimedwait(void)
{
	struct timespec a_second = { 5, 0 };

	return sigtimedwait(&all, NULL, &a_second);
}

static int by_signalfd(void)
{
	struct signalfd_siginfo info = { 0 };

	EXPECT_INT(read(signal_fd, &info, sizeof(info)), sizeof(info));
	return info.ssi_signo;
}

static int by_kernel(void)
{
	uint64_t everything = ~0ULL;

	return syscall(SYS_rt_sigtimedwait, &everything, NULL, NULL, sizeof(everything));
}

static const struct {
	const char *name;
	int (*take)(void);
} ways[] = {
	{ "sigwait", by_sigwait },
	{ "sigwaitinfo", by_sigwaitinfo },
	{ "sigtimedwait", by_sigtimedwait },
	{ "signalfd", by_signalfd },
	{ "kernel", by_kernel },
};

static void *work(void *unused)
{
	while (!stop)
		burn_us(500);
	return NULL;
}

/* Sends and takes one signal at a time, so that the order is known. */
static void send_and_take(int (*take)(void))
{
	for (int i = 0; i < N_SIGNALS; i++) {
		int s = i % 3 == 0   ? SIGUSR1
			: i % 3 == 1 ? SIGCHLD
				     : SIGRTMIN + i % (SIGRTMAX - SIGRTMIN);

		EXPECT_INT(sigqueue(getpid(), s, (union sigval){ .sival_int = i }), 0);
		burn_us(200);
		EXPECT_INT(take(), s);
	}
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	signal_fd = signalfd(-1, &all, SFD_CLOEXEC);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++)
		if (!strcmp(ways[w].name, argv[1]))
			send_and_take(ways[w].take);
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return probe_end();
}
