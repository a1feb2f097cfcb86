/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls set*id() hundreds of times in a program with threads. glibc makes every thread change its ids, by a signal
 * (SIGSETXID), and each thread must do so, whatever it is doing.
 */
#include "probe.h"

#include <dirent.h>
#include <grp.h>

enum { N_THREADS = 4, N_ROUNDS = 200 };

static atomic_int stop;

static void *work(void *unused)
{
	while (!stop)
		burn_us(300);
	return NULL;
}

static void *work_blocked(void *unused)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	return work(NULL);
}

static void expect_thread(const char *tid, uid_t expected)
{
	char path[64], line[256];
	unsigned real, effective;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/self/task/%s/status", tid);
	status = fopen(path, "r");
	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "Uid: %u %u", &real, &effective) == 2)
			EXPECT_INT(effective, expected);
	if (status)
		fclose(status);
}

static int expect_all(uid_t expected)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	int n_tasks = 0;

	while ((entry = readdir(tasks)))
		if (entry->d_name[0] != '.') {
			expect_thread(entry->d_name, expected);
			n_tasks++;
		}
	closedir(tasks);
	return n_tasks;
}

int main(void)
{
	pthread_t threads[N_THREADS];

	for (int i = 0; i < N_THREADS; i++)
		pthread_create(&threads[i], NULL, i % 2 ? work_blocked : work, NULL);
	for (int i = 0; i < N_ROUNDS; i++) {
		EXPECT_INT(setegid(1000 + i), 0);
		EXPECT_INT(seteuid(1000 + i), 0);
		EXPECT_INT(expect_all(1000 + i), N_THREADS + 1);
		EXPECT_INT(seteuid(0), 0);
		EXPECT_INT(setegid(0), 0);
	}
	EXPECT_INT(setgroups(0, NULL), 0);
	EXPECT_INT(setgid(65534), 0);
	EXPECT_INT(setuid(65534), 0);
	stop = 1;
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d\n", getuid(), getgid());
	return probe_end();
}
