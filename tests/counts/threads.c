/* SPDX-License-Identifier: BSD-3-Clause */
/* threads N AT_ONCE: makes N short threads, AT_ONCE of them at a time. */
#include "work.h"

static void *work(void *unused)
{
	int64_t end_ns = work_cpu_ns() + 50000;

	while (work_cpu_ns() < end_ns)
		;
	return NULL;
}

int main(int argc, char **argv)
{
	int n_threads = atoi(argv[1]), n_at_once = atoi(argv[2]);
	pthread_t *ids = calloc(n_at_once, sizeof(*ids));
	struct holdings early, late;
	FILE *truth;

	for (int i = 0; i < n_threads; i += n_at_once) {
		for (int t = 0; t < n_at_once; t++)
			if (pthread_create(&ids[t], NULL, work, NULL))
				return 98;
		for (int t = 0; t < n_at_once; t++)
			pthread_join(ids[t], NULL);
		if (i == 0)
			early = work_holdings();
	}
	late = work_holdings();
	truth = work_open_truth();
	fprintf(truth, "{\"pid\": %d, \"n_threads\": %d, ", getpid(), n_threads + 1);
	work_write_holdings(truth, &early, &late);
	fprintf(truth, "}\n");
	fclose(truth);
	return 0;
}
