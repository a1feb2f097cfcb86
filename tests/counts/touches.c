/* SPDX-License-Identifier: BSD-3-Clause */
/* touches MS: new memory is touched, which takes kernel time that belongs to no system call, then something is computed;
 * a sleep follows, so that no tick comes with the scheduler's. Until the procedures took MS of CPU time. */
#include "work.h"

#include <sys/mman.h>

enum { N_BYTES = 1 << 20, PAGE_BYTES = 4096, COMPUTE_NS = 1000000 };

static volatile double computed = 1;

__attribute__((noinline)) static int64_t touch_pages(char *memory)
{
	int64_t begin = work_cpu_ns();

	for (int at = 0; at < N_BYTES; at += PAGE_BYTES)
		memory[at] = 1;
	return work_cpu_ns() - begin;
}

__attribute__((noinline)) static int64_t compute(void)
{
	int64_t begin = work_cpu_ns(), now;

	do {
		for (int i = 0; i < 10000; i++)
			computed = computed * 1.0000001;
		now = work_cpu_ns();
	} while (now - begin < COMPUTE_NS);
	return now - begin;
}

int main(int argc, char **argv)
{
	int64_t to_ns = atoi(argv[1]) * 1000000LL, touch_ns = 0, compute_ns = 0;
	struct timespec nap = { .tv_nsec = 300000 };
	FILE *truth;

	while (touch_ns + compute_ns < to_ns) {
		char *memory = mmap(
			NULL, N_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED)
			return 98;
		touch_ns += touch_pages(memory);
		compute_ns += compute();
		munmap(memory, N_BYTES);
		nanosleep(&nap, NULL);
	}
	truth = work_open_truth();
	fprintf(truth, "{\"procedures_ns\": {\"touch_pages\": %lld, \"compute\": %lld}}\n",
		(long long)touch_ns, (long long)compute_ns);
	fclose(truth);
	return 0;
}
