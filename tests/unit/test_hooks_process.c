// SPDX-License-Identifier: BSD-3-Clause
/* fork, clone, exec and the exits, as a program makes them: what of it is in the trace. */
#include "tests/unit/child.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdlib.h>

#include "preload/hooks/hooks.h"
#include "preload/thread/thread.h"

/* ---- fork ---- */

static int fork_and_wait(void)
{
	int status = -1;
	pid_t pid;

	ep_hooks_process_begin();
	pid = fork();
	if (!pid)
		_exit(ep_process.born == EP_BORN_FORK && ep_recording_is_mine() ? 21 : 1);
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status) == 21 && ep_process.born == EP_BORN_ROOT ? 20 : 1;
}

/* Skips the handlers of pthread_atfork. */
static int fork_in_signal_handler(void)
{
	int status = -1;
	pid_t pid = _Fork();

	if (!pid)
		_exit(ep_process.born == EP_BORN_FORK ? 21 : 1);
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status) == 21 ? 20 : 1;
}

static int in_clone(void *argument)
{
	_exit(argument == &trace_path && ep_process.born == EP_BORN_FORK ? 21 : 1);
}

static int clone_with_own_memory(void)
{
	static char stack[1 << 16] __attribute__((aligned(16)));
	int status = -1;
	pid_t pid = clone(in_clone, stack + sizeof(stack), SIGCHLD, &trace_path);

	waitpid(pid, &status, 0);
	return WEXITSTATUS(status) == 21 ? 20 : 1;
}

TEST(forks_and_exits)
{
	static int (*const ways[])(
		void) = { fork_and_wait, fork_in_signal_handler, clone_with_own_memory };

	for (size_t i = 0; i < EP_ARRAY_SIZE(ways); i++) {
		struct read_back back;

		CHECK_INT(in_child(ways[i], NULL), 20);
		read_trace(&back);
		CHECK_INT(back.n_images, 2);
		CHECK_STR(back.images[1].born, "fork");
		for (int k = 0; k < 2; k++) {
			CHECK_INT(back.images[k].n_ends, 1);
			CHECK_INT(back.images[k].how, EP_END_EXIT_NOW);
			CHECK_INT(back.images[k].status, 20 + k);
		}
		CHECK_INT(back.n_final_threads, 2);
		CHECK_INT(back.n_end_marks, 1);
	}
}

/* No tick comes between: the signal is blocked in fork, and as before after it. */
static int fork_with_mask(void)
{
	uint64_t before = 0, after = 0, wanted = 1ull << (SIGUSR1 - 1);
	int status = -1;
	pid_t pid;

	ep_hooks_process_begin();
	ep_sys_sigmask(SIG_BLOCK, &wanted, NULL);
	ep_sys_sigmask(SIG_BLOCK, NULL, &before);
	pid = fork();
	ep_sys_sigmask(SIG_BLOCK, NULL, &after);
	if (!pid)
		_exit(after == before ? 21 : 1);
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status) == 21 && after == before ? 20 : 1;
}

TEST(the_mask_is_as_before)
{
	CHECK_INT(in_child(fork_with_mask, NULL), 20);
}

/* A handler may interrupt fork and fork itself: here one of pthread_atfork's does, between ours and the
 * fork. Nothing is left taken, and the tick is as it was. */
static bool forks_twice;
static int inner_status = -1;

static bool is_as_before(void)
{
	uint64_t mask = 0;
	bool is_free = ep_out_try_lock(&ep_recording.out);

	if (is_free)
		ep_out_unlock(&ep_recording.out);
	ep_sys_sigmask(SIG_BLOCK, NULL, &mask);
	return is_free && !(mask & (1ull << (EP_SLICE_SIGNAL - 1)));
}

static void fork_within(void)
{
	pid_t pid;

	if (!forks_twice)
		return;
	forks_twice = false;
	pid = fork();
	if (!pid)
		_exit(ep_process.born == EP_BORN_FORK && ep_recording_is_mine() ? 22 : 1);
	waitpid(pid, &inner_status, 0);
}

static int fork_in_fork(void)
{
	int status = -1;
	pid_t pid;

	pthread_atfork(
		fork_within, NULL, NULL); /* the last to be called before a fork is the first */
	ep_hooks_process_begin();
	forks_twice = true;
	pid = fork();
	if (!pid)
		_exit(is_as_before() && ep_recording_is_mine() ? 21 : 1);
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status) == 21 && WEXITSTATUS(inner_status) == 22 && is_as_before() ? 20
											      : 1;
}

/* The inner fork's child goes on where the outer fork's began. */
static void go_on_in_both(void)
{
	if (!forks_twice)
		return;
	forks_twice = false;
	if (fork())
		wait(&inner_status);
}

static int fork_as_child_begins(void)
{
	int status = -1;
	pid_t pid;

	pthread_atfork(NULL, NULL, go_on_in_both);
	ep_hooks_process_begin();
	forks_twice = true;
	pid = fork();
	if (!pid)
		_exit(is_as_before() && ep_recording_is_mine() &&
					(inner_status < 0 || WEXITSTATUS(inner_status) == 21)
				? 21
				: 1);
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status) == 21 && is_as_before() ? 20 : 1;
}

TEST(forks_within_forks)
{
	CHECK_INT(in_child(fork_in_fork, NULL), 20);
	CHECK_INT(in_child(fork_as_child_begins, NULL), 20);
}

/* ---- the other ends ---- */

static int leave_by_exit(void)
{
	ep_hooks_process_begin();
	exit(30);
}

static int leave_quickly(void)
{
	ep_hooks_process_begin();
	quick_exit(31);
}

static int leave_by_c99(void)
{
	_Exit(32);
}

TEST(every_exit_is_told_apart)
{
	static const struct {
		int (*leave)(void);
		enum ep_end_how how;
		int status;
	} rows[] = { { leave_by_exit, EP_END_EXIT, 30 }, { leave_quickly, EP_END_QUICK_EXIT, 31 },
		{ leave_by_c99, EP_END_EXIT_NOW, 32 } };

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct read_back back;

		CHECK_INT(in_child(rows[i].leave, NULL), rows[i].status);
		read_trace(&back);
		CHECK_INT(back.n_images, 1);
		CHECK_INT(back.images[0].n_ends, 1);
		CHECK_INT(back.images[0].how, rows[i].how);
		if (rows[i].how != EP_END_QUICK_EXIT) /* its handlers are not told the status */
			CHECK_INT(back.images[0].status, rows[i].status);
	}
}

/* ---- exec ---- */

static char *const arguments[] = { (char *)"sh", (char *)"-c", (char *)"exit $EP_STATUS", NULL };
static char *const environment[] = { (char *)"EP_STATUS=41", NULL };

static int by_execve(void)
{
	return execve("/bin/sh", arguments, environment);
}

static int by_execv(void)
{
	putenv(environment[0]);
	return execv("/bin/sh", arguments);
}

static int by_execvp(void)
{
	putenv(environment[0]);
	return execvp("sh", arguments);
}

static int by_execvpe(void)
{
	return execvpe("sh", arguments, environment);
}

static int by_fexecve(void)
{
	return fexecve(open("/bin/sh", O_RDONLY), arguments, environment);
}

static int by_execveat(void)
{
	return execveat(AT_FDCWD, "/bin/sh", arguments, environment, 0);
}

static int by_execl(void)
{
	return execl("/bin/sh", "sh", "-c", "exit 41", NULL);
}

static int by_execlp(void)
{
	return execlp("sh", "sh", "-c", "exit $1$2$3", "name", "0", "4", "1", NULL);
}

static int by_execle(void)
{
	return execle("/bin/sh", "sh", "-c", "exit $EP_STATUS", NULL, environment);
}

TEST(every_exec_hands_its_arguments_on)
{
	static int (*const ways[])(void) = { by_execve, by_execv, by_execvp, by_execvpe, by_fexecve,
		by_execveat, by_execl, by_execlp, by_execle };

	for (size_t i = 0; i < EP_ARRAY_SIZE(ways); i++) {
		struct read_back back;

		CHECK_MSG(in_child(ways[i], NULL) == 41, "way %zu", i);
		read_trace(&back);
		CHECK_INT(back.n_images, 1);
		CHECK_INT(back.images[0].n_ends, 1);
		CHECK_INT(back.images[0].how, EP_END_EXEC);
		CHECK_INT(back.n_final_threads, 0); /* threads that may go on */
	}
}

static int fail_to_exec(void)
{
	errno = 0;
	if (execl("/no/such/program", "x", NULL) != -1 || errno != ENOENT)
		return 1;
	errno = 0;
	if (execve("/etc/passwd", arguments, environment) != -1 || errno != EACCES)
		return 2;
	/* the clock that was stopped for it ticks again */
	return ep_recording.is_on && ep_self && ep_self->state == EP_THREAD_LIVE ? 50 : 3;
}

TEST(a_failed_exec_says_why_and_the_run_goes_on)
{
	struct read_back back;

	CHECK_INT(in_child(fail_to_exec, NULL), 50);
	read_trace(&back);
	CHECK_INT(back.n_images, 1);
	CHECK_INT(back.images[0].how, EP_END_EXIT_NOW);
	CHECK_INT(back.images[0].status, 50);
}

/* libc's vfork inside: the child is not us. */
static int spawn(void)
{
	int status = -1;
	pid_t pid;

	if (posix_spawn(&pid, "/bin/sh", NULL, NULL, arguments, environment))
		return 1;
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status) == 41 && ep_recording.is_on ? 60 : 2;
}

TEST(a_spawned_program_ends_nothing_of_ours)
{
	struct read_back back;

	CHECK_INT(in_child(spawn, NULL), 60);
	read_trace(&back);
	CHECK_INT(back.n_images, 1);
	CHECK_INT(back.images[0].n_ends, 1);
	CHECK_INT(back.images[0].status, 60);
	clean_up();
}
