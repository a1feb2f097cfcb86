// SPDX-License-Identifier: BSD-3-Clause
/*
 * bench_estimate [SLICES [THREADS]]: auto over a trace of THREADS threads (8) with SLICES slices
 * (an hour at 1 kHz: 3,600,000) of 15 events, two of them always on, four groups; and the DTW of
 * two series of 700 steps, best of a hundred. Goals: below 60 s, below 1 ms.
 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "reporter/estimate/dtw.h"
#include "reporter/estimate/estimate.h"

enum { N_EVENTS = 15 };

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void bench_dtw(void)
{
	enum { N = 700 };
	static double a[N], b[N];
	double best = 1e9, cost = 0;

	for (int i = 0; i < N; i++) {
		a[i] = rand() % 1000;
		b[i] = rand() % 1000;
	}
	for (int round = 0; round < 100; round++) {
		double start = now_s();
		cost += ep_dtw_cost(a, N, b, N, 0);
		best = fmin(best, now_s() - start);
	}
	printf("dtw 700 x 700: %.3f ms (cost %.0f)\n", 1e3 * best, cost / 100);
}

struct thread_series {
	double *values;          /* (T, E) */
	unsigned char *measured; /* (T, E) */
	char names[N_EVENTS][16];
	const char *list[N_EVENTS];
};

static void make(struct thread_series *m, size_t n_slices)
{
	m->values = malloc(n_slices * N_EVENTS * sizeof(*m->values));
	m->measured = malloc(n_slices * N_EVENTS);
	for (int e = 0; e < N_EVENTS; e++) {
		snprintf(m->names[e], sizeof(m->names[e]), "EVENT_%d", e);
		m->list[e] = m->names[e];
	}
	for (size_t t = 0; t < n_slices; t++)
		for (size_t e = 0; e < N_EVENTS; e++) {
			double phase = t / 300 % 3 + 1;
			m->values[t * N_EVENTS + e] =
				e ? floor(1e5 / (double)e * phase + rand() % 1000) : 3e6;
			m->measured[t * N_EVENTS + e] = e < 2 || (e - 2) / 4 == t % 4;
		}
}

static const unsigned char always[N_EVENTS] = { 1, 1 };

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static atomic_int n_left;

static void *fit_some(void *series)
{
	while (atomic_fetch_sub(&n_left, 1) > 0) {
		struct ep_fit *fit;
		if (ep_fit(series, NULL, &fit, NULL))
			exit(1);
		ep_fit_destroy(fit);
	}
	return NULL;
}

/* As many at once as there are CPUs, at most 4: each needs some 2 GB. */
static void bench_auto(size_t n_slices, int n_threads)
{
	struct thread_series m;
	long n_cpus = sysconf(_SC_NPROCESSORS_ONLN), n_workers = n_cpus < 4 ? n_cpus : 4;
	pthread_t workers[4];
	double start, cpu_start;

	make(&m, n_slices);
	struct ep_series s = { n_slices, N_EVENTS, m.list, m.values, m.measured, always, 0, 1 };
	n_left = n_threads;
	start = now_s();
	cpu_start = cpu_s();
	for (long i = 0; i < n_workers; i++)
		if (pthread_create(&workers[i], NULL, fit_some, &s))
			exit(1);
	for (long i = 0; i < n_workers; i++)
		pthread_join(workers[i], NULL);
	printf("auto: %d threads x %zu slices x %d events: %.1f s on %ld CPUs, %.1f s of CPU time\n",
		n_threads, n_slices, N_EVENTS, now_s() - start, n_workers, cpu_s() - cpu_start);
	free(m.values);
	free(m.measured);
}

int main(int argc, char **argv)
{
	bench_dtw();
	bench_auto(argc > 1 ? strtoul(argv[1], NULL, 10) : 3600000, argc > 2 ? atoi(argv[2]) : 8);
	return 0;
}
