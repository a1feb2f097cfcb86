/* SPDX-License-Identifier: BSD-3-Clause */
/* tree N_CHILDREN N_THREADS MS: the process and each of N_CHILDREN forked children burn MS of CPU time in each of
 * N_THREADS threads. */
#include "work.h"

#include <sys/wait.h>

static void *burn(void *cpu_ms)
{
	int64_t end_ns = work_cpu_ns() + *(long *)cpu_ms * 1000000;

	while (work_cpu_ns() < end_ns)
		;
	return NULL;
}

static void burn_in_threads(int n_threads, long cpu_ms)
{
	pthread_t *ids = calloc(n_threads, sizeof(*ids));

	for (int i = 0; i < n_threads; i++)
		pthread_create(&ids[i], NULL, burn, &cpu_ms);
	for (int i = 0; i < n_threads; i++)
		pthread_join(ids[i], NULL);
	free(ids);
}

int main(int argc, char **argv)
{
	int n_children = atoi(argv[1]), n_threads = atoi(argv[2]);
	long cpu_ms = atol(argv[3]);
	FILE *truth;

	for (int i = 0; i < n_children; i++)
		if (fork() == 0) {
			burn_in_threads(n_threads, cpu_ms);
			exit(0);
		}
	burn_in_threads(n_threads, cpu_ms);
	while (wait(NULL) > 0)
		;
	truth = work_open_truth();
	fprintf(truth, "{\"n_processes\": %d, \"n_threads\": %d, \"cpu_ms\": %ld}\n",
		n_children + 1, (n_children + 1) * (n_threads + 1), cpu_ms);
	fclose(truth);
	return 0;
}
