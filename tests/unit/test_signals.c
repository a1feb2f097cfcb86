// SPDX-License-Identifier: BSD-3-Clause
/*
 * Our handlers beside the program's. Each case is a child of its own: what is installed there ends
 * with it. The hooks are not here: the program's calls go to libc, ours by hand.
 */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "preload/process/process.h"
#include "preload/process/signals.h"

/* The exit status of what runs in a child; 256 + the signal that killed it. */
static int run_in_child(int (*run)(int argument), int argument)
{
	struct rlimit no_core = { 0, 0 };
	pid_t pid = fork();
	int status = 0;

	if (!pid) {
		setrlimit(RLIMIT_CORE, &no_core);
		_exit(run(argument));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}

static struct sigaction action_of(int sig)
{
	struct sigaction action;

	sigaction(sig, NULL, &action);
	return action;
}

/* ---- which signals are taken ---- */

TEST(deadly_signals_are_those_that_end_a_program)
{
	static const struct {
		int sig;
		bool is_deadly;
	} rows[] = { { SIGTERM, true }, { SIGSEGV, true }, { SIGINT, true }, { SIGPIPE, true },
		{ SIGABRT, true }, { SIGUSR1, true }, { 34, true }, { 64, true },
		{ SIGKILL, false }, { SIGSTOP, false }, { SIGCHLD, false }, { SIGCONT, false },
		{ SIGWINCH, false }, { SIGTRAP, false }, { EP_SLICE_SIGNAL, false }, { 32, false },
		{ 0, false }, { -1, false }, { 65, false } };

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		CHECK_MSG(ep_signals_is_deadly(rows[i].sig) == rows[i].is_deadly, "signal %d",
			rows[i].sig);
	ep_recording.key.pid = 1; /* which the kernel keeps from them, but for faults */
	CHECK(!ep_signals_is_deadly(SIGTERM) && !ep_signals_is_deadly(SIGABRT) &&
		!ep_signals_is_deadly(64));
	CHECK(ep_signals_is_deadly(SIGSEGV) && ep_signals_is_deadly(SIGSYS));
	ep_recording.key.pid = 0;
}

static void own_handler(int sig)
{
}

static int check_who_is_taken(int unused)
{
	struct sigaction shown;

	signal(SIGUSR1, own_handler);
	signal(SIGPIPE, SIG_IGN);
	ep_signals_begin();
	if (action_of(SIGUSR1).sa_handler != own_handler ||
		action_of(SIGPIPE).sa_handler != SIG_IGN)
		return 1;
	if (!ep_signals_is_ours(action_of(SIGTERM).sa_handler) ||
		!ep_signals_is_ours(action_of(SIGSYS).sa_handler))
		return 2;
	if (ep_signals_is_ours(action_of(SIGCHLD).sa_handler) ||
		ep_signals_is_ours((void *)own_handler))
		return 3;
	ep_signals_show_default(SIGTERM, &shown);
	if (shown.sa_handler != SIG_DFL || shown.sa_flags || !sigisemptyset(&shown.sa_mask))
		return 4;
	ep_signals_end();
	if (action_of(SIGTERM).sa_handler != SIG_DFL ||
		action_of(SIGUSR1).sa_handler != own_handler ||
		action_of(SIGPIPE).sa_handler != SIG_IGN)
		return 5;
	return 0;
}

TEST(only_what_the_program_left_at_its_default_is_taken)
{
	CHECK_INT(run_in_child(check_who_is_taken, 0), 0);
}

/* The user's queue of signals is full, so that the kernel sends SIGIO in place of the tick's signal. */
static int survive_late_tick(int is_closed)
{
	struct rlimit none = { 0, 0 };
	sigset_t sigio, pending;
	int ends[2];

	sigemptyset(&sigio);
	sigaddset(&sigio, SIGIO);
	ep_signals_begin();
	if (pipe(ends) || fcntl(ends[0], F_SETOWN, getpid()) ||
		fcntl(ends[0], F_SETSIG, EP_SLICE_SIGNAL) || fcntl(ends[0], F_SETFL, O_ASYNC) ||
		setrlimit(RLIMIT_SIGPENDING, &none) || sigprocmask(SIG_BLOCK, &sigio, NULL))
		return 1;
	if (write(ends[1], "", 1) != 1 || sigpending(&pending) || !sigismember(&pending, SIGIO))
		return 2;
	ep_signals_end();
	if (is_closed)
		ep_signals_leave_stacks();
	sigprocmask(SIG_UNBLOCK, &sigio, NULL);
	return 0;
}

TEST(a_tick_that_comes_as_sigio_behind_the_end_does_not_kill)
{
	CHECK_INT(run_in_child(survive_late_tick, false), 0);
	CHECK_INT(run_in_child(survive_late_tick, true), 0);
}

/* The default entry that the program made comes back as it was: its flags, its mask. */
static int check_round_trip(int sig)
{
	struct sigaction wanted = { .sa_handler = SIG_DFL, .sa_flags = SA_RESTART | SA_NODEFER };
	struct sigaction shown;

	sigaddset(&wanted.sa_mask, SIGHUP);
	ep_signals_begin();
	ep_signals_take(sig, &wanted);
	if (!ep_signals_is_ours(action_of(sig).sa_handler))
		return 1;
	ep_signals_show_default(sig, &shown);
	if (shown.sa_handler != SIG_DFL || shown.sa_flags != wanted.sa_flags)
		return 2;
	return !sigismember(&shown.sa_mask, SIGHUP) || sigismember(&shown.sa_mask, SIGINT) ? 3 : 0;
}

TEST(a_programs_own_default_entry_round_trips)
{
	CHECK_INT(run_in_child(check_round_trip, SIGTERM), 0);
	CHECK_INT(run_in_child(check_round_trip, SIGRTMAX), 0);
}

static int check_handlers_are_noted(int unused)
{
	if (ep_signals_program_has_handlers())
		return 1;
	ep_signals_program_handles(SIGUSR1, 0);
	return !ep_signals_program_has_handlers();
}

TEST(handlers_of_the_program_are_noted)
{
	CHECK_INT(run_in_child(check_handlers_are_noted, 0), 0);
}

static bool is_tick_alternate(void)
{
	struct ep_kernel_sigaction tick;

	ep_sys_sigaction(EP_SLICE_SIGNAL, NULL, &tick);
	return tick.flags & SA_ONSTACK;
}

static int check_alternate(int sig)
{
	ep_signals_program_sets_alternate();
	ep_recording.is_on = true;
	ep_signals_begin();
	ep_signals_program_handles(sig, SA_RESTART);
	if (is_tick_alternate())
		return 2;
	ep_signals_program_handles(sig, SA_RESTART | SA_ONSTACK);
	return is_tick_alternate();
}

TEST(ticks_go_where_signals_at_any_time_go)
{
	CHECK_INT(run_in_child(check_alternate, SIGUSR1), 1);
	CHECK_INT(run_in_child(check_alternate, SIGTERM), 1);
	CHECK_INT(run_in_child(check_alternate, SIGSEGV), 0);
	CHECK_INT(run_in_child(check_alternate, SIGABRT), 0);
}

/* ---- a deadly signal kills as it would have ---- */

static int be_killed(int sig)
{
	ep_signals_begin();
	raise(sig);
	return 0;
}

static int be_killed_by_another(int sig)
{
	ep_signals_begin();
	kill(getpid(), sig);
	pause();
	return 0;
}

TEST(a_caught_signal_still_kills)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGABRT, SIGALRM, SIGUSR1,
		SIGXCPU, SIGSYS, SIGIO, 40 };

	for (size_t i = 0; i < EP_ARRAY_SIZE(signals); i++) {
		CHECK_INT(run_in_child(be_killed, signals[i]), 256 + signals[i]);
		CHECK_INT(run_in_child(be_killed_by_another, signals[i]), 256 + signals[i]);
	}
}

/* The sanitizers take faults for themselves. */
#ifndef __SANITIZE_ADDRESS__
static int fault(int unused)
{
	ep_signals_begin();
	*(volatile int *)(uintptr_t)unused = 1;
	return 0;
}

TEST(a_fault_kills_as_a_fault)
{
	CHECK_INT(run_in_child(fault, 16), 256 + SIGSEGV);
}
#endif

static int die_by_alarm(int unused)
{
	struct itimerval soon = { .it_value = { .tv_usec = 1000 } };

	ep_signals_begin();
	setitimer(ITIMER_REAL, &soon, NULL);
	pause();
	return 0;
}

TEST(the_kernels_own_signals_kill)
{
	CHECK_INT(run_in_child(die_by_alarm, 0), 256 + SIGALRM);
}

/* ---- the tick's signal, which glibc uses too ---- */

static volatile sig_atomic_t n_handed_on;

static void note_one(int sig, siginfo_t *info, void *context)
{
	n_handed_on++;
}

/* As glibc does it: by the kernel's call, for its sigaction() refuses the number. */
static void install_beside(void)
{
	struct ep_kernel_sigaction action = { .handler = (void *)note_one, .flags = SA_SIGINFO },
				   ours;

	ep_sys_sigaction(EP_SLICE_SIGNAL, NULL, &ours);
#if defined(__x86_64__)
	action.flags |= 0x04000000;
	action.restorer = ours.restorer;
#endif
	ep_sys_sigaction(EP_SLICE_SIGNAL, &action, NULL);
}

static void send_tick_signal(void)
{
	ep_sys(__NR_tgkill, ep_sys_getpid(), ep_sys_gettid(), EP_SLICE_SIGNAL);
}

static int check_hand_on(int unused)
{
	struct ep_kernel_sigaction now;

	ep_signals_begin();
	send_tick_signal(); /* nobody was there before us: nothing happens */
	if (n_handed_on)
		return 1;
	install_beside();
	ep_signals_around_thread_create();
	ep_sys_sigaction(EP_SLICE_SIGNAL, NULL, &now);
	if (now.handler == (void *)note_one)
		return 2;
	send_tick_signal();
	if (n_handed_on != 1)
		return 3;
	ep_signals_around_thread_create(); /* must not take our own handler for the one beside */
	send_tick_signal();
	return n_handed_on != 2;
}

TEST(what_is_not_a_tick_is_handed_on)
{
	CHECK_INT(run_in_child(check_hand_on, 0), 0);
}

/* setuid() of a process with threads: glibc asks each of them by this signal and waits. */
static void *wait_for_end(void *argument)
{
	char byte;

	return read(*(int *)argument, &byte, 1) < 0 ? argument : NULL;
}

static int check_set_ids(int unused)
{
	pthread_t thread;
	int ends[2];
	void *failed;

	ep_signals_begin();
	if (pipe(ends) || pthread_create(&thread, NULL, wait_for_end, &ends[0]))
		return 1;
	ep_signals_around_thread_create();
	if (setuid(getuid()) || write(ends[1], "", 1) != 1)
		return 2;
	return pthread_join(thread, &failed) || failed ? 3 : 0;
}

TEST(glibcs_own_use_of_the_signal_works)
{
	CHECK_INT(run_in_child(check_set_ids, 0), 0);
}
