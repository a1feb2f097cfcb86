/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * While another thread starts threads, the program sets and reads its limit of open files. It must read what it has
 * set, and children, forked or spawned, must begin with the same limit.
 */
#include "probe.h"

#include <spawn.h>
#include <sys/resource.h>

enum { N_SETS = 5000, N_FORKS = 300, N_SPAWNS = 100 };

static atomic_bool is_over;

static void *nothing(void *unused)
{
	return unused;
}

static void *start_threads(void *unused)
{
	pthread_t thread;

	while (!is_over)
		if (!pthread_create(&thread, NULL, nothing, NULL))
			pthread_join(thread, NULL);
	return unused;
}

static rlim_t limit_now(void)
{
	struct rlimit now = { 0, 0 };

	getrlimit(RLIMIT_NOFILE, &now);
	return now.rlim_cur;
}

static int n_forked_wrong(rlim_t soft)
{
	int n = 0, status;

	for (int i = 0; i < N_FORKS; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(limit_now() != soft);
		waitpid(pid, &status, 0);
		n += status != 0;
	}
	return n;
}

static int n_spawned_wrong(rlim_t soft)
{
	char command[64], *arguments[] = { "sh", "-c", command, NULL }, *none[] = { NULL };
	int n = 0, status;
	pid_t pid;

	snprintf(command, sizeof(command), "test $(ulimit -Sn) = %llu", (unsigned long long)soft);
	for (int i = 0; i < N_SPAWNS; i++) {
		EXPECT_INT(posix_spawn(&pid, "/bin/sh", NULL, NULL, arguments, none), 0);
		waitpid(pid, &status, 0);
		n += status != 0;
	}
	return n;
}

int main(int argc, char **argv)
{
	struct rlimit limit;
	int n_lost = 0, n_wrong;
	pthread_t starter;

	getrlimit(RLIMIT_NOFILE, &limit);
	if (argc < 2) { /* as in most sessions: the soft limit is below the hard one */
		limit.rlim_cur = 512;
		setrlimit(RLIMIT_NOFILE, &limit);
		execl(probe_sibling("fd_limit_race"), argv[0], "given", NULL);
		return 99;
	}
	if (limit.rlim_max < 2048) {
		printf("a hard limit of open files below 2048\n");
		return PROBE_CANNOT;
	}
	pthread_create(&starter, NULL, start_threads, NULL);
	for (int i = 0; i < N_SETS; i++) {
		limit.rlim_cur = 512 + i % 256;
		setrlimit(RLIMIT_NOFILE, &limit);
		n_lost += limit_now() != limit.rlim_cur;
		burn_rounds(i % 64 * 50);
		n_lost += limit_now() != limit.rlim_cur;
	}
	EXPECT_MSG(!n_lost, "%d of %d times the limit was another than set", n_lost, 2 * N_SETS);
	n_wrong = n_forked_wrong(limit.rlim_cur);
	EXPECT_MSG(!n_wrong, "%d of %d forked children had another limit", n_wrong, N_FORKS);
	n_wrong = n_spawned_wrong(limit.rlim_cur);
	EXPECT_MSG(!n_wrong, "%d of %d spawned children had another limit", n_wrong, N_SPAWNS);
	is_over = true;
	pthread_join(starter, NULL);
	return probe_end();
}
