/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exec_pending N HOW TARGET: each of N children works for a moment of varying length, then becomes TARGET by exec. A
 * profiler's timer or signal that survived the exec would kill TARGET now and then.
 */
#include "probe.h"

#include <spawn.h>

static const char *target;

static void become_target(void)
{
	char *arguments[] = { (char *)target, NULL };

	execv(probe_sibling(target), arguments);
	_exit(99);
}

static void *spin_for_ever(void *unused)
{
	for (;;)
		burn_rounds(1000);
	return NULL;
}

static void *become_target_in_thread(void *unused)
{
	become_target();
	return NULL;
}

/* The functions for HOW, which differ in who calls exec. Here the main thread does. */
static void by_main(void)
{
	become_target();
}

static void beside_threads(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		EXPECT_INT(pthread_create(&threads[i], NULL, spin_for_ever, NULL), 0);
	burn_us(700);
	become_target();
}

/* Forks before the exec. The forked child gets a copy of all descriptors, also of those by which a profiler counts
 * time. */
static void after_fork(void)
{
	if (fork() == 0)
		_exit(0);
	become_target();
}

static void by_thread(void)
{
	pthread_t thread;

	EXPECT_INT(pthread_create(&thread, NULL, become_target_in_thread, NULL), 0);
	spin_for_ever(NULL);
}

static void after_failures(void)
{
	char *arguments[] = { "nothing", NULL };

	for (int i = 0; i < 5; i++) {
		EXPECT_INT(execv("/nonexistent/nothing", arguments), -1);
		burn_us(300);
	}
	become_target();
}

static void by_number(void)
{
	char *arguments[] = { (char *)target, NULL };

	syscall(SYS_execveat, AT_FDCWD, probe_sibling(target), arguments, environ, 0);
	_exit(97);
}

static void by_vfork(void)
{
	pid_t pid = vfork();
	char *arguments[] = { (char *)target, NULL };

	if (pid == 0) {
		execv(probe_sibling(target), arguments);
		_exit(99);
	}
	_exit(WEXITSTATUS(probe_wait(pid)));
}

static void by_spawn(void)
{
	char *arguments[] = { (char *)target, NULL };
	pid_t pid = -1;

	EXPECT_INT(posix_spawn(&pid, probe_sibling(target), NULL, NULL, arguments, environ), 0);
	_exit(WEXITSTATUS(probe_wait(pid)));
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {
	{ "main", by_main },
	{ "beside-threads", beside_threads },
	{ "thread", by_thread },
	{ "after-fork", after_fork },
	{ "after-failures", after_failures },
	{ "number", by_number },
	{ "vfork", by_vfork },
	{ "spawn", by_spawn },
};

static void run_child(const char *how, int i)
{
	burn_us(200 + i * 37 % 2500);
	for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++)
		if (!strcmp(ways[w].name, how))
			ways[w].run();
	_exit(98);
}

int main(int argc, char **argv)
{
	int n_children = atoi(argv[1]);

	target = argv[3];
	for (int i = 0; i < n_children; i++) {
		pid_t pid = probe_fork();
		int status;

		if (pid == 0)
			run_child(argv[2], i);
		status = probe_wait(pid);
		EXPECT_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0,
			"child %d of %d ended with status 0x%x", i, n_children, status);
	}
	return probe_end();
}
