/* SPDX-License-Identifier: BSD-3-Clause */
/* touches MS: touches new memory, which takes kernel time that belongs to no system call, then computes, until both
 * procedures together have taken MS of CPU time. Each turn ends with a sleep, so that ticks do not coincide with the
 * scheduler's. Turns differ in length: if all had one length close to the period, ticks would come in the same part of
 * many turns. */
#include "work.h"

#include <sys/mman.h>

enum { MAX_PAGES = 512, PAGE_BYTES = 4096, COMPUTE_NS_PER_PAGE = 4000 };

static volatile double computed = 1;

__attribute__((noinline)) static int64_t touch_pages(char *memory, int n_pages)
{
	int64_t begin = work_cpu_ns();

	for (int i = 0; i < n_pages; i++)
		memory[i * PAGE_BYTES] = 1;
	return work_cpu_ns() - begin;
}

__attribute__((noinline)) static int64_t compute(int64_t for_ns)
{
	int64_t begin = work_cpu_ns(), now;

	do {
		for (int i = 0; i < 10000; i++)
			computed = computed * 1.0000001;
		now = work_cpu_ns();
	} while (now - begin < for_ns);
	return now - begin;
}

int main(int argc, char **argv)
{
	int64_t to_ns = atoi(argv[1]) * 1000000LL, touch_ns = 0, compute_ns = 0;
	struct timespec nap = { .tv_nsec = 300000 };
	FILE *truth;

	while (touch_ns + compute_ns < to_ns) {
		int n_pages = 1 + rand() % MAX_PAGES;
		char *memory = mmap(NULL, (size_t)n_pages * PAGE_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED)
			return 98;
		touch_ns += touch_pages(memory, n_pages);
		compute_ns += compute((int64_t)n_pages * COMPUTE_NS_PER_PAGE);
		munmap(memory, (size_t)n_pages * PAGE_BYTES);
		nanosleep(&nap, NULL);
	}
	truth = work_open_truth();
	fprintf(truth, "{\"procedures_ns\": {\"touch_pages\": %lld, \"compute\": %lld}}\n",
		(long long)touch_ns, (long long)compute_ns);
	fclose(truth);
	return 0;
}
