// SPDX-License-Identifier: BSD-3-Clause
/* Hooks of fork, clone, exec and the ways to exit. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/os/file_limit.h"
#include "common/os/loader.h"
#include "common/os/sys.h"
#include "hooks.h"
#include "preload/hooks/exec_target.h"
#include "preload/hooks/preload_variable.h"
#include "preload/process/held_tick.h"
#include "preload/process/on_stack.h"
#include "preload/process/process.h"
#include "preload/process/signals.h"
#include "preload/recording/out.h"
#include "preload/thread/thread.h"

EP_REAL(_exit)
EP_REAL(_Exit)
EP_REAL(_Fork)
EP_REAL(clone)
EP_REAL(execve)
EP_REAL(execv)
EP_REAL(execvp)
EP_REAL(execvpe)
EP_REAL(fexecve)
EP_REAL(execveat)
EP_REAL(posix_spawn)
EP_REAL(posix_spawnp)

/* ---- fork ---- */

#define TICK (1ull << (EP_SLICE_SIGNAL - 1))

/* The state of this thread's fork. A signal handler of the program may interrupt fork (the outer fork) and call fork
 * itself (the inner fork). Both use the state that the outer fork began, so that no lock is taken twice. Signals are
 * blocked while this state changes. */
static __thread struct {
	unsigned depth;
	bool was_blocked; /* the signal of the tick was blocked before the fork */
	/* false: this is a child of the inner fork, in which the outer fork has nothing to undo */
	bool has_begun;
	bool holds_lock;
} forking __attribute__((tls_model("initial-exec")));

static void begin_fork(void)
{
	forking.has_begun = true;
	forking.holds_lock = ep_recording.is_on && ep_out_wait_lock(&ep_recording.out);
	ep_recording.n_forks++;
	ep_loader_before_fork();
	/* The limit is held after the trace's lock is taken. A thread that reopens the trace keeps the same order: it
	 * has the lock when it raises the limit. */
	ep_file_limit_hold();
}

/* Blocks ticks until the child has started, so that the child's copy of memory has no half-made block. */
static void before_fork(void)
{
	uint64_t mask = ep_sys_block_signals();

	if (!forking.depth++) {
		forking.was_blocked = mask & TICK;
		begin_fork();
	}
	ep_sys_restore_signals(mask | TICK);
}

static void end_fork(uint64_t mask)
{
	bool is_blocked = --forking.depth || forking.was_blocked;

	ep_sys_restore_signals(is_blocked ? mask : mask & ~TICK);
}

static void after_fork_in_parent(void)
{
	uint64_t mask = ep_sys_block_signals();

	ep_recording.atfork_returns[0] = (uint64_t)__builtin_return_address(0);
	if (forking.depth == 1 && forking.has_begun) {
		ep_file_limit_release();
		ep_loader_after_fork_in_parent();
		if (forking.holds_lock)
			ep_out_unlock(&ep_recording.out);
		ep_recording.n_forks++;
	}
	end_fork(mask);
}

static void after_fork_in_child(void)
{
	uint64_t mask = ep_sys_block_signals();
	int saved_errno = errno;
	/* true: a signal handler in a child that was just beginning forked this process. The inner fork has done
	 * everything for this process already. */
	bool is_done = !forking.has_begun && ep_recording_is_mine();

	forking.has_begun = false;
	ep_recording.atfork_returns[1] = (uint64_t)__builtin_return_address(0);
	if (!is_done) {
		ep_file_limit_after_fork();
		ep_loader_after_fork_in_child();
		ep_out_unlock(&ep_recording.out);
		ep_on_stack_after_fork();
		if (ep_recording.is_on)
			ep_process_after_fork();
	}
	end_fork(mask);
	errno = saved_errno;
}

/* Runs the handlers of fork by itself, since _Fork skips those of pthread_atfork. */
EP_HOOK pid_t _Fork(void)
{
	pid_t pid;

	before_fork();
	pid = find__Fork()();
	if (pid)
		after_fork_in_parent();
	else
		after_fork_in_child();
	return pid;
}

struct clone_start {
	int (*run)(void *);
	void *argument;
};

static int begin_clone(void *argument)
{
	struct clone_start start = *(struct clone_start *)argument;

	after_fork_in_child();
	return start.run(start.argument);
}

/* Treats a clone without CLONE_VM, whose child has memory of its own, as a fork. A clone that shares memory is passed
 * on: libc does not know the thread or vfork child that the call makes, and evprof does not know it either. Like libc's
 * clone(), the hook reads three more arguments, whether the caller gave them or not. */
__attribute__((no_sanitize_address)) EP_HOOK int clone(
	int (*run)(void *), void *stack, int flags, void *argument, ...)
{
	struct clone_start start = { run, argument };
	void *extra[3];
	va_list args;
	int pid;

	va_start(args, argument);
	for (int i = 0; i < 3; i++)
		extra[i] = va_arg(args, void *);
	va_end(args);
	if (flags & CLONE_VM || !ep_recording.is_on)
		return find_clone()(run, stack, flags, argument, extra[0], extra[1], extra[2]);
	before_fork();
	pid = find_clone()(begin_clone, stack, flags, &start, extra[0], extra[1], extra[2]);
	after_fork_in_parent();
	return pid;
}

/* ---- exec ---- */

/* Keeps evprof from raising the limit of open files, since the next program or a spawned one inherits the limit that is
 * set at that moment. A child of vfork does not hold the limit, since its memory is its parent's. */
static bool hold_limit(void)
{
	bool is_held = ep_recording.is_on && ep_recording_is_mine();

	if (is_held)
		ep_file_limit_hold();
	return is_held;
}

static void before_exec(void)
{
	ep_process_end(EP_END_EXEC, 0, "");
	ep_signals_before_exec();
	hold_limit();
}

/* Sets envp to a copy without evprof's library, if the next program cannot open the library or refuses it; otherwise
 * envp stays as it is. While nothing is measured, for example in a sandbox, no system call is made for this. */
#define KEEP_IN_REACH(envp, refuses)                                                               \
	bool is_refused = ep_recording.is_on && (refuses);                                         \
	size_t n_kept = ep_recording.is_on ? ep_preload_variable_lost(envp, is_refused) : 0;       \
	char **kept = !n_kept                   ? NULL                                             \
		      : n_kept < EP_PRELOAD_FEW ? __builtin_alloca(n_kept * sizeof(*kept))         \
						: ep_preload_variable_room(n_kept);                \
	if (kept) {                                                                                \
		ep_preload_variable_drop(envp, is_refused, kept);                                  \
		envp = kept;                                                                       \
	}

static int exec_failed(int result)
{
	int saved_errno = errno;

	if (ep_recording.is_on && ep_recording_is_mine())
		ep_file_limit_release();
	ep_signals_exec_failed();
	ep_preload_variable_release();
	errno = saved_errno;
	return result;
}

EP_HOOK int execve(const char *path, char *const argv[], char *const envp[])
{
	KEEP_IN_REACH(envp, ep_exec_target_refuses(AT_FDCWD, path, 0));
	before_exec();
	return exec_failed(find_execve()(path, argv, envp));
}

EP_HOOK int execv(const char *path, char *const argv[])
{
	char *const *envp = environ;

	KEEP_IN_REACH(envp, ep_exec_target_refuses(AT_FDCWD, path, 0));
	before_exec();
	return exec_failed(kept ? find_execve()(path, argv, envp) : find_execv()(path, argv));
}

EP_HOOK int execvp(const char *file, char *const argv[])
{
	char *const *envp = environ;

	KEEP_IN_REACH(envp, ep_exec_target_refuses_file(file));
	before_exec();
	return exec_failed(kept ? find_execvpe()(file, argv, envp) : find_execvp()(file, argv));
}

EP_HOOK int execvpe(const char *file, char *const argv[], char *const envp[])
{
	KEEP_IN_REACH(envp, ep_exec_target_refuses_file(file));
	before_exec();
	return exec_failed(find_execvpe()(file, argv, envp));
}

EP_HOOK int fexecve(int fd, char *const argv[], char *const envp[])
{
	KEEP_IN_REACH(envp, ep_exec_target_refuses_fd(fd));
	before_exec();
	return exec_failed(find_fexecve()(fd, argv, envp));
}

EP_HOOK int execveat(int fd, const char *path, char *const argv[], char *const envp[], int flags)
{
	KEEP_IN_REACH(envp, ep_exec_target_refuses(fd, path, flags));
	before_exec();
	return exec_failed(find_execveat()(fd, path, argv, envp, flags));
}

/* posix_spawn is libc's own vfork and exec in one call. The process that calls it goes on, so its measurement goes on,
 * too. */
EP_HOOK int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	KEEP_IN_REACH(envp, ep_exec_target_refuses(AT_FDCWD, path, 0));
	uint64_t held = ep_held_tick_let_go();
	bool holds_limit = hold_limit();
	int rc = find_posix_spawn()(pid, path, actions, attributes, argv, envp);

	if (holds_limit)
		ep_file_limit_release();
	if (held)
		ep_held_tick_block_again(held);
	ep_preload_variable_release();
	return rc;
}

EP_HOOK int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	KEEP_IN_REACH(envp, ep_exec_target_refuses_file(file));
	uint64_t held = ep_held_tick_let_go();
	bool holds_limit = hold_limit();
	int rc = find_posix_spawnp()(pid, file, actions, attributes, argv, envp);

	if (holds_limit)
		ep_file_limit_release();
	if (held)
		ep_held_tick_block_again(held);
	ep_preload_variable_release();
	return rc;
}

/* The next hooks are the forms of exec with a list of arguments. As in libc, the arguments are counted and then copied
 * to an array on the stack. */
static size_t count_arguments(va_list args)
{
	size_t n = 1;

	while (va_arg(args, char *))
		n++;
	return n;
}

#define COLLECT_ARGUMENTS(first, argv, args)                                                       \
	va_list args;                                                                              \
	va_start(args, first);                                                                     \
	char **argv = __builtin_alloca((count_arguments(args) + 1) * sizeof(*argv));               \
	va_end(args);                                                                              \
	va_start(args, first);                                                                     \
	argv[0] = (char *)first;                                                                   \
	for (size_t i = 0; argv[i]; i++)                                                           \
	argv[i + 1] = va_arg(args, char *)

EP_HOOK int execl(const char *path, const char *first, ...)
{
	COLLECT_ARGUMENTS(first, argv, args);
	va_end(args);
	return execv(path, argv);
}

EP_HOOK int execlp(const char *file, const char *first, ...)
{
	COLLECT_ARGUMENTS(first, argv, args);
	va_end(args);
	return execvp(file, argv);
}

EP_HOOK int execle(const char *path, const char *first, ...)
{
	char **envp;

	COLLECT_ARGUMENTS(first, argv, args);
	envp = va_arg(args, char **);
	va_end(args);
	return execve(path, argv, envp);
}

/* ---- exits ---- */

EP_HOOK void _exit(int status)
{
	ep_process_end(EP_END_EXIT_NOW, status, "");
	find__exit()(status);
	__builtin_unreachable();
}

EP_HOOK void _Exit(int status)
{
	ep_process_end(EP_END_EXIT_NOW, status, "");
	find__Exit()(status);
	__builtin_unreachable();
}

static void on_quick_exit(void)
{
	ep_process_end(EP_END_QUICK_EXIT, 0, "");
}

static void at_exit(int status, void *unused)
{
	(void)unused;
	ep_process_end(EP_END_EXIT, status, "");
}

/* Registers evprof's handlers before the program registers its own, so that evprof's run after the program's. The
 * handler of on_exit runs even after the destructors, since the loader registers the destructors later, when the
 * program starts. */
void ep_hooks_process_begin(void)
{
	pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
	on_exit(at_exit, NULL);
	at_quick_exit(on_quick_exit);
}
