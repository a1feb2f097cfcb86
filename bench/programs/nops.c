// SPDX-License-Identifier: BSD-3-Clause
/* nops N: N threads, one after the other, that end at once. Prints the CPU time of one in us. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static void *nop(void *unused)
{
	return unused;
}

static double cpu_us(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 + usage.ru_utime.tv_usec +
	       usage.ru_stime.tv_usec;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 2000;
	double before_us = cpu_us();
	pthread_t thread;

	for (int i = 0; i < n; i++)
		if (pthread_create(&thread, NULL, nop, NULL) || pthread_join(thread, NULL))
			abort();
	printf("%.2f\n", (cpu_us() - before_us) / n);
	return 0;
}
