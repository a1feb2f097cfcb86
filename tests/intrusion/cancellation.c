/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads are cancelled while they work, asynchronously or at cancellation points. Each must run its clean-up handler
 * and its key's destructor once, and pthread_join must report it as cancelled.
 */
#include "probe.h"

enum { N_THREADS = 300 };

static atomic_int n_cleaned, n_destroyed, n_started;
static pthread_key_t key;

static void clean_up(void *unused)
{
	n_cleaned++;
}

static void destroy(void *unused)
{
	n_destroyed++;
	burn_us(200);
}

static void *work_asynchronously(void *unused)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	pthread_setspecific(key, &key);
	pthread_cleanup_push(clean_up, NULL);
	n_started++;
	for (;;)
		burn_rounds(100);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *work_deferred(void *unused)
{
	pthread_setspecific(key, &key);
	pthread_cleanup_push(clean_up, NULL);
	n_started++;
	for (;;) {
		burn_us(100);
		if (n_started % 2)
			usleep(1);
		else
			pthread_testcancel();
	}
	pthread_cleanup_pop(0);
	return NULL;
}

static void *work_blocked(void *pipe_end)
{
	char byte;

	pthread_setspecific(key, &key);
	pthread_cleanup_push(clean_up, NULL);
	n_started++;
	burn_us(500);
	EXPECT_INT(read(*(int *)pipe_end, &byte, 1), 1);
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancel_one(void *(*work)(void *), int i, int *pipe_end)
{
	pthread_t thread;
	void *result = NULL;
	int n_before = n_started;

	EXPECT_INT(pthread_create(&thread, NULL, work, pipe_end), 0);
	while (n_started == n_before)
		sched_yield();
	burn_us(i * 13 % 1500);
	EXPECT_INT(pthread_cancel(thread), 0);
	EXPECT_INT(pthread_join(thread, &result), 0);
	EXPECT(result == PTHREAD_CANCELED);
}

int main(void)
{
	static void *(*const ways[])(void *) = { work_asynchronously, work_deferred, work_blocked };
	int pair[2];

	EXPECT_INT(pipe(pair), 0);
	pthread_key_create(&key, destroy);
	for (int i = 0; i < N_THREADS; i++)
		cancel_one(ways[i % 3], i, &pair[0]);
	EXPECT_INT(n_cleaned, N_THREADS);
	EXPECT_INT(n_destroyed, N_THREADS);
	return probe_end();
}
