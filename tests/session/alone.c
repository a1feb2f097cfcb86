// SPDX-License-Identifier: BSD-3-Clause
/* One thread runs alone, then two do, then one again. Prints the seconds on the clock, since the program began, between
 * which each ran alone. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static volatile unsigned long n_rounds;

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void burn(double cpu_s)
{
	double end = seconds(CLOCK_THREAD_CPUTIME_ID) + cpu_s;

	while (seconds(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 2000; i++)
			n_rounds++;
}

__attribute__((noinline)) static void read_input(void)
{
	burn(.4);
	n_rounds++;
}

__attribute__((noinline)) static void write_output(void)
{
	burn(.25);
	n_rounds++;
}

static void *work(void *unused)
{
	burn(.4);
	return unused;
}

int main(void)
{
	double began = seconds(CLOCK_MONOTONIC), read, worked, written;
	pthread_t threads[2];

	read_input();
	read = seconds(CLOCK_MONOTONIC);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	worked = seconds(CLOCK_MONOTONIC);
	write_output();
	written = seconds(CLOCK_MONOTONIC);
	printf("%f %f read_input\n%f %f write_output\n", 0., read - began, worked - began,
		written - began);
	return 0;
}
