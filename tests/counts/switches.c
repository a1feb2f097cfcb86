/* SPDX-License-Identifier: BSD-3-Clause */
/* switches N_THREADS N: the i-th thread sleeps i * N times, each a voluntary context switch. */
#include "work.h"

static void *work(void *argument)
{
	struct timespec moment = { 0, 200000 };
	struct worker *me = argument;
	struct rusage before, after;

	me->tid = gettid();
	getrusage(RUSAGE_THREAD, &before);
	for (long i = 0; i < me->amount; i++)
		nanosleep(&moment, NULL);
	getrusage(RUSAGE_THREAD, &after);
	me->own_count = after.ru_nvcsw - before.ru_nvcsw;
	return NULL;
}

int main(int argc, char **argv)
{
	int n_workers = atoi(argv[1]);
	struct worker *workers = calloc(n_workers, sizeof(*workers));

	work_run_threads(workers, n_workers, work, atol(argv[2]));
	work_write_threads("voluntary_switches", workers, n_workers);
	return 0;
}
