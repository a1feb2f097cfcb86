/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes processes in every way. Each child must work and end with its own status, and the parent must go on. Each way
 * is tried N_ROUNDS times, since forks race with the ends of slices.
 */
#include "probe.h"

#include <linux/sched.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>

enum { N_ROUNDS = 60, CLONE_STACK_BYTES = 64 * 1024 };

static char *target_arguments[] = { "target", NULL };
static atomic_int *shared_count;

static int child_work(void *unused)
{
	burn_us(700);
	++*shared_count;
	return 21;
}

static pid_t by_fork(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(child_work(NULL));
	return pid;
}

static pid_t by__Fork(void)
{
	pid_t pid = _Fork();

	if (pid == 0)
		_exit(child_work(NULL));
	return pid;
}

static pid_t by_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0)
		_exit(21);
	++*shared_count;
	return pid;
}

static pid_t by_vfork_exec(void)
{
	const char *path = probe_sibling("target");
	pid_t pid = vfork();

	if (pid == 0) {
		execv(path, target_arguments);
		_exit(99);
	}
	return pid;
}

static pid_t by_clone(void)
{
	static char stack[CLONE_STACK_BYTES] __attribute__((aligned(64)));

	return clone(child_work, stack + sizeof(stack), SIGCHLD, NULL);
}

/* Makes a child that shares the memory while the parent waits, as after vfork. Go, Java and posix_spawn do so. */
static pid_t by_clone_vm(void)
{
	static char stack[CLONE_STACK_BYTES] __attribute__((aligned(64)));

	return clone(child_work, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
}

static pid_t by_raw_fork(void)
{
	pid_t pid = syscall(SYS_fork);

	if (pid == 0)
		syscall(SYS_exit_group, child_work(NULL));
	return pid;
}

static pid_t by_raw_clone(void)
{
	pid_t pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		syscall(SYS_exit_group, child_work(NULL));
	return pid;
}

static pid_t by_raw_clone3(void)
{
	struct clone_args arguments = { .exit_signal = SIGCHLD };
	pid_t pid = syscall(SYS_clone3, &arguments, sizeof(arguments));

	if (pid == 0)
		_exit(child_work(NULL));
	return pid;
}

static pid_t by_spawn(void)
{
	pid_t pid = -1;

	EXPECT_INT(
		posix_spawn(&pid, probe_sibling("target"), NULL, NULL, target_arguments, environ),
		0);
	return pid;
}

static pid_t by_spawnp_with_all(void)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t all;
	pid_t pid = -1;

	sigfillset(&all);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 9, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addclose(&actions, 9);
	posix_spawn_file_actions_addclosefrom_np(&actions, 3);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &all);
	sigemptyset(&all);
	posix_spawnattr_setsigmask(&attributes, &all);
	posix_spawnattr_setflags(&attributes,
		POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
	EXPECT_INT(posix_spawnp(&pid, probe_sibling("target"), &actions, &attributes,
			   target_arguments, environ),
		0);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return pid;
}

static const struct {
	const char *name;
	pid_t (*make)(void);
	int expected_status;
	int expected_count;
} ways[] = {
	{ "fork", by_fork, 21, 1 },
	{ "_Fork", by__Fork, 21, 1 },
	{ "vfork", by_vfork, 21, 1 },
	{ "vfork and exec", by_vfork_exec, 0, 0 },
	{ "clone", by_clone, 21, 1 },
	{ "clone with the memory", by_clone_vm, 21, 1 },
	{ "fork by syscall()", by_raw_fork, 21, 1 },
	{ "clone by syscall()", by_raw_clone, 21, 1 },
	{ "clone3 by syscall()", by_raw_clone3, 21, 1 },
	{ "posix_spawn", by_spawn, 0, 0 },
	{ "posix_spawnp", by_spawnp_with_all, 0, 0 },
};

int main(void)
{
	shared_count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < N_ROUNDS; i++)
		for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
			int status;
			pid_t pid;

			*shared_count = 0;
			burn_us(i * 97 % 1100);
			pid = ways[w].make();
			if (pid < 0 && errno == ENOSYS) { /* a container's filter refuses clone3 */
				printf("%s: not here\n", ways[w].name);
				continue;
			}
			status = probe_wait(pid);
			EXPECT_MSG(status == ways[w].expected_status << 8, "%s: status 0x%x",
				ways[w].name, status);
			EXPECT_MSG(*shared_count == ways[w].expected_count, "%s: count %d",
				ways[w].name, *shared_count);
		}
	return probe_end();
}
