// SPDX-License-Identifier: BSD-3-Clause
/* A program reads and sets its signals as it would without evprof. */
#include "tests/unit/test.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "preload/process/process.h"
#include "preload/process/signals.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

sighandler_t bsd_signal(int sig, sighandler_t handler);

static volatile sig_atomic_t n_calls;

static void own_handler(int sig)
{
	n_calls++;
}

/* As the kernel has it. */
static bool is_ours(int sig)
{
	struct ep_kernel_sigaction action;

	ep_sys_sigaction(sig, NULL, &action);
	return ep_signals_is_ours(action.handler);
}

static sighandler_t shown(int sig)
{
	struct sigaction action;

	return sigaction(sig, NULL, &action) ? SIG_ERR : action.sa_handler;
}

/* Every failed expectation is a bit of the exit status: what is installed ends with the child. */
static int failures;

static void expect(int bit, bool condition)
{
	failures |= condition ? 0 : 1 << bit;
}

static int run_in_child(void (*run)(void), bool is_on)
{
	pid_t pid;
	int status = -1;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		ep_recording.key.pid = (uint32_t)getpid();
		ep_signals_begin();
		ep_recording.is_on = is_on;
		failures = 0;
		run();
		ep_recording.is_on = false;
		_exit(failures);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

static void round_trip(void)
{
	struct sigaction action = { .sa_handler = own_handler, .sa_flags = SA_RESTART }, old;
	struct sigaction *same = &action;

	__asm__("" : "+r"(same));
	expect(0, is_ours(SIGTERM) && shown(SIGTERM) == SIG_DFL);
	expect(1, !sigaction(SIGTERM, &action, &old) && old.sa_handler == SIG_DFL);
	expect(2, !is_ours(SIGTERM) && shown(SIGTERM) == own_handler);
	raise(SIGTERM);
	expect(3, n_calls == 1 && ep_signals_program_has_handlers());
	action = (struct sigaction){ .sa_handler = SIG_DFL, .sa_flags = SA_NODEFER };
	sigaddset(&action.sa_mask, SIGHUP);
	/* the same memory may serve for both */
	expect(4, !sigaction(SIGTERM, &action, same) && action.sa_handler == own_handler &&
			  action.sa_flags & SA_RESTART);
	expect(5, is_ours(SIGTERM));
	expect(6, !sigaction(SIGTERM, NULL, &old) && old.sa_handler == SIG_DFL &&
			  old.sa_flags == SA_NODEFER && sigismember(&old.sa_mask, SIGHUP));
}

TEST(a_programs_own_handler_and_its_default_again)
{
	CHECK_INT(run_in_child(round_trip, true), 0);
}

static void ignore(void)
{
	struct sigaction action = { .sa_handler = SIG_IGN }, old;

	expect(0, !sigaction(SIGINT, &action, &old) && old.sa_handler == SIG_DFL);
	expect(1, !is_ours(SIGINT) && shown(SIGINT) == SIG_IGN);
	raise(SIGINT);
	expect(2, !ep_signals_program_has_handlers());
}

TEST(an_ignored_signal_is_ignored)
{
	CHECK_INT(run_in_child(ignore, true), 0);
}

static void by_signal(void)
{
	expect(0, signal(SIGUSR1, own_handler) == SIG_DFL);
	raise(SIGUSR1);
	expect(1, n_calls == 1);
	expect(2, signal(SIGUSR1, SIG_DFL) == own_handler && is_ours(SIGUSR1));
	expect(3, signal(SIGUSR1, SIG_IGN) == SIG_DFL && shown(SIGUSR1) == SIG_IGN);
	expect(4, bsd_signal(SIGUSR1, own_handler) == SIG_IGN);
	expect(5, ssignal(SIGUSR1, SIG_DFL) == own_handler && is_ours(SIGUSR1));
	errno = 0;
	expect(6, signal(SIGKILL, own_handler) == SIG_ERR && errno == EINVAL);
}

TEST(by_signal_and_its_relatives)
{
	CHECK_INT(run_in_child(by_signal, true), 0);
}

static void by_sysv_signal(void)
{
	expect(0, sysv_signal(SIGUSR2, own_handler) == SIG_DFL);
	raise(SIGUSR2);
	/* once: then its default is back, which nobody asked us to take again */
	expect(1, n_calls == 1 && shown(SIGUSR2) == SIG_DFL && !is_ours(SIGUSR2));
}

TEST(system_vs_handlers_serve_once)
{
	CHECK_INT(run_in_child(by_sysv_signal, true), 0);
}

static void by_sigset(void)
{
	sigset_t blocked;

	expect(0, sigset(SIGHUP, own_handler) == SIG_DFL);
	raise(SIGHUP);
	expect(1, n_calls == 1);
	expect(2, sigset(SIGHUP, SIG_DFL) == own_handler && is_ours(SIGHUP));
	expect(3, sigset(SIGHUP, SIG_HOLD) == SIG_DFL);
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	expect(4, sigismember(&blocked, SIGHUP) == 1 && is_ours(SIGHUP));
}

TEST(by_sigset)
{
	CHECK_INT(run_in_child(by_sigset, true), 0);
}

static void pending(void)
{
	uint64_t tick = 1ull << (EP_SLICE_SIGNAL - 1);
	sigset_t term, set;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	ep_sys_sigmask(SIG_BLOCK, &tick, NULL);
	raise(SIGTERM);
	ep_sys(__NR_tgkill, ep_sys_getpid(), ep_sys_gettid(), EP_SLICE_SIGNAL);
	expect(0, !sigpending(&set) && sigismember(&set, SIGTERM) == 1);
	expect(1, !(*(uint64_t *)&set & tick));
}

TEST(our_tick_is_never_pending)
{
	CHECK_INT(run_in_child(pending, true), 0);
}

/* Measuring has stopped, the handlers are still there: they are hidden, and not given back. */
static void after_the_end(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL };

	expect(0, shown(SIGTERM) == SIG_DFL && is_ours(SIGTERM));
	expect(1, !sigaction(SIGTERM, &action, NULL) && !is_ours(SIGTERM));
	expect(2, shown(SIGTERM) == SIG_DFL);
}

TEST(after_the_end_a_default_is_the_kernels)
{
	CHECK_INT(run_in_child(after_the_end, false), 0);
}
