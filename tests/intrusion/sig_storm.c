/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sends many queued signals to threads that work. Each of them must arrive once. At most some hundred are pending at a
 * time: all programs of the user share the queue, and a full queue would disturb them.
 */
#include "probe.h"

enum { N_THREADS = 3, N_SIGNALS = 8000, N_WAITING = 500 };

static atomic_int n_seen, n_sum, stop;

static void note(int s, siginfo_t *info, void *context)
{
	n_seen++;
	n_sum += info->si_value.sival_int;
}

static void *work(void *unused)
{
	while (!stop)
		burn_us(300);
	return NULL;
}

static void send(pthread_t thread, int i)
{
	while (i - n_seen > N_WAITING ||
		pthread_sigqueue(thread, SIGRTMIN + i % 8, (union sigval){ .sival_int = i }))
		sched_yield();
}

int main(void)
{
	struct sigaction own = { .sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_RESTART };
	pthread_t threads[N_THREADS];
	int sum = 0;

	for (int s = SIGRTMIN; s < SIGRTMIN + 8; s++)
		sigaction(s, &own, NULL);
	for (int i = 0; i < N_THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < N_SIGNALS; i++) {
		send(threads[i % N_THREADS], i);
		sum += i;
	}
	for (int i = 0; i < 5000 && n_seen < N_SIGNALS; i++)
		usleep(1000);
	stop = 1;
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	EXPECT_INT(n_seen, N_SIGNALS);
	EXPECT_INT(n_sum, sum);
	return probe_end();
}
