/* SPDX-License-Identifier: BSD-3-Clause */
/* faults N_THREADS N_PAGES: the i-th thread touches i * N_PAGES fresh pages, each a minor fault. */
#include "work.h"

#include <sys/mman.h>

static void touch(long n_pages)
{
	size_t page_bytes = sysconf(_SC_PAGESIZE);
	volatile char *memory = mmap(NULL, n_pages * page_bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise((void *)memory, n_pages * page_bytes, MADV_NOHUGEPAGE);
	for (long i = 0; i < n_pages; i++)
		memory[i * page_bytes] = 1;
	munmap((void *)memory, n_pages * page_bytes);
}

static void *work(void *argument)
{
	struct worker *me = argument;
	struct rusage before, after;

	me->tid = gettid();
	getrusage(RUSAGE_THREAD, &before);
	touch(me->amount);
	getrusage(RUSAGE_THREAD, &after);
	me->own_count = after.ru_minflt - before.ru_minflt;
	return NULL;
}

int main(int argc, char **argv)
{
	int n_workers = atoi(argv[1]);
	struct worker *workers = calloc(n_workers, sizeof(*workers));

	work_run_threads(workers, n_workers, work, atol(argv[2]));
	work_write_threads("minor_faults", workers, n_workers);
	return 0;
}
