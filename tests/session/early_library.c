// SPDX-License-Identifier: BSD-3-Clause
/* A library whose constructor starts a thread, as OpenBLAS does: it works for 300 ms of CPU time.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

__attribute__((visibility("default"))) void early_wait(void);

static pthread_t worker;

static void *work(void *unused)
{
	struct timespec used = { 0 };

	while (used.tv_sec == 0 && used.tv_nsec < 300000000)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return unused;
}

__attribute__((constructor)) static void start(void)
{
	if (pthread_create(&worker, NULL, work, NULL))
		perror("pthread_create");
}

void early_wait(void)
{
	pthread_join(worker, NULL);
}
