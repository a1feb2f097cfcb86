/* SPDX-License-Identifier: BSD-3-Clause */
/* The process must have only the program's threads, as the kernel counts them: at the start, while threads run, and
 * after they have ended. */
#include "probe.h"

#include <dirent.h>

static atomic_int stop;

static int count_tasks(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	int n_tasks = 0;

	while ((entry = readdir(tasks)))
		n_tasks += entry->d_name[0] != '.';
	closedir(tasks);
	return n_tasks;
}

static void *work(void *unused)
{
	while (!stop)
		burn_us(500);
	return NULL;
}

static void in_child(void)
{
	burn_ms(5);
	EXPECT_INT(count_tasks(), 1);
}

/* A thread is still listed for a moment after it was joined. */
static void expect_tasks(int n_expected)
{
	for (int i = 0; i < 1000 && count_tasks() != n_expected; i++)
		usleep(1000);
	EXPECT_INT(count_tasks(), n_expected);
}

int main(void)
{
	pthread_t threads[5];

	EXPECT_INT(count_tasks(), 1);
	burn_ms(1100);
	EXPECT_INT(count_tasks(), 1);
	for (int i = 0; i < 5; i++) {
		pthread_create(&threads[i], NULL, work, NULL);
		EXPECT_INT(count_tasks(), i + 2);
	}
	burn_ms(20);
	probe_in_child("child", in_child);
	stop = 1;
	for (int i = 0; i < 5; i++)
		pthread_join(threads[i], NULL);
	expect_tasks(1);
	return probe_end();
}
