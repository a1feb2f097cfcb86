/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks, ignores or resets every signal, by the library's calls and by the kernel's. No signal may be pending that
 * nobody sent, none may be there to be waited for, and masks must read back exactly as they were set.
 */
#include "probe.h"

#include <poll.h>
#include <sys/signalfd.h>

static sigset_t all;

static bool library_can(int s)
{
	return s < 32 || s >= SIGRTMIN;
}

static void expect_nothing_pending(const char *when)
{
	struct timespec at_once = { 0, 0 };
	siginfo_t info;
	sigset_t set;
	int got;

	sigpending(&set);
	for (int s = 1; s <= 64; s++)
		EXPECT_MSG(sigismember(&set, s) != 1, "%s: signal %d is pending", when, s);
	got = sigtimedwait(&all, &info, &at_once);
	EXPECT_MSG(got == -1 && errno == EAGAIN, "%s: sigtimedwait gave %d", when, got);
}

static void expect_nothing_in_signalfd(const char *when)
{
	struct pollfd own = { .fd = signalfd(-1, &all, SFD_NONBLOCK), .events = POLLIN };
	struct signalfd_siginfo info;

	burn_ms(10);
	EXPECT_MSG(poll(&own, 1, 10) == 0, "%s: signalfd is readable", when);
	if (read(own.fd, &info, sizeof(info)) > 0)
		EXPECT_MSG(false, "%s: signalfd gave %u", when, info.ssi_signo);
	close(own.fd);
}

static void expect_mask(int (*change)(int, const sigset_t *, sigset_t *), const char *when)
{
	sigset_t seen, before;

	change(SIG_SETMASK, &all, &before);
	burn_ms(20);
	change(SIG_BLOCK, NULL, &seen);
	for (int s = 1; s <= 64; s++) {
		if (s == SIGKILL || s == SIGSTOP || !library_can(s))
			continue;
		EXPECT_MSG(sigismember(&seen, s) == 1, "%s: signal %d is not blocked", when, s);
		EXPECT_MSG(sigismember(&before, s) != 1, "%s: signal %d was blocked", when, s);
	}
	expect_nothing_pending(when);
	expect_nothing_in_signalfd(when);
	change(SIG_SETMASK, &before, &seen);
	burn_ms(5);
	change(SIG_SETMASK, &before, &seen);
	EXPECT_INT(sigismember(&seen, SIGUSR1), 0);
}

/* Blocks signals by system calls, as runtimes without a C library do. */
static void block_by_kernel(void)
{
	uint64_t everything = ~0ULL, before, seen = 0;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &everything, &before, sizeof(before));
	burn_ms(20);
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &seen, sizeof(seen));
	EXPECT_INT(before, 0);
	EXPECT_MSG((seen | 1ULL << (SIGKILL - 1) | 1ULL << (SIGSTOP - 1)) == ~0ULL,
		"the kernel's mask is 0x%llx", (unsigned long long)seen);
	expect_nothing_pending("kernel");
	expect_nothing_in_signalfd("kernel");
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(before));
	burn_ms(5);
}

static void set_all(sighandler_t disposition)
{
	for (int s = 1; s <= 64; s++)
		if (s != SIGKILL && s != SIGSTOP && library_can(s))
			EXPECT_MSG(signal(s, disposition) != SIG_ERR, "signal %d", s);
	burn_ms(20);
	expect_nothing_pending("disposition");
}

static void *all_checks(void *unused)
{
	expect_mask(sigprocmask, "sigprocmask");
	expect_mask(pthread_sigmask, "pthread_sigmask");
	block_by_kernel();
	set_all(SIG_IGN);
	set_all(SIG_DFL);
	return NULL;
}

static void *blocked_from_birth(void *unused)
{
	sigset_t seen;

	pthread_sigmask(SIG_BLOCK, NULL, &seen);
	EXPECT_INT(sigismember(&seen, SIGTERM), 1);
	burn_ms(20);
	expect_nothing_pending("inherited");
	return NULL;
}

static void check_inherited(void)
{
	sigset_t before;
	pthread_t thread;

	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_create(&thread, NULL, blocked_from_birth, NULL);
	pthread_join(thread, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int main(void)
{
	pthread_t thread;

	sigfillset(&all);
	for (int i = 0; i < 3; i++) {
		all_checks(NULL);
		pthread_create(&thread, NULL, all_checks, NULL);
		pthread_join(thread, NULL);
		check_inherited();
	}
	return probe_end();
}
