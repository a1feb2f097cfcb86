// SPDX-License-Identifier: BSD-3-Clause
/* locks [TURNS]: eight threads take one mutex for 20 ns each time, and work for as long without it. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { N_THREADS = 8, N_TURNS = 400000, STEPS = 20 };
static int n_turns = N_TURNS; /* of each thread */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t shared;

/* Each step waits for the one before: a ns or so. */
static uint64_t work(uint64_t x)
{
	for (int i = 0; i < STEPS; i++)
		x = x * 3 + 1;
	return x;
}

static void *take_turns(void *unused)
{
	uint64_t own = 1;

	for (int i = 0; i < n_turns; i++) {
		pthread_mutex_lock(&mutex);
		shared = work(shared);
		pthread_mutex_unlock(&mutex);
		own = work(own);
	}
	return (void *)(uintptr_t)own;
}

int main(int argc, char **argv)
{
	pthread_t threads[N_THREADS];

	if (argc > 1)
		n_turns = atoi(argv[1]);
	for (int i = 0; i < N_THREADS; i++)
		pthread_create(&threads[i], 0, take_turns, 0);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], 0);
	return 0;
}
