// SPDX-License-Identifier: BSD-3-Clause
/*
 * spin DEPTH WORK THREADS: a fixed amount of arithmetic in every thread, called through DEPTH frames
 * from different places, so that stacks differ. Prints the CPU seconds that the process took and its
 * peak resident size in KiB (wait4 would count the launcher before its exec).
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static unsigned depth;
static uint64_t n_calls;

__attribute__((noinline)) static uint64_t leaf(uint64_t x)
{
	for (int i = 0; i < 2000; i++)
		x = x * 6364136223846793005ull + 1442695040888963407ull;
	return x;
}

__attribute__((noinline)) static uint64_t other_leaf(uint64_t x)
{
	for (int i = 0; i < 1000; i++)
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
	return x;
}

__attribute__((noinline)) static uint64_t descend(uint64_t x, unsigned left)
{
	if (!left)
		return x & 1024 ? leaf(x) : other_leaf(x);
	/* two call sites: paths fork at every level, but mostly go the same way */
	x = (x & 0xff00) ? descend(x, left - 1) : descend(x + 1, left - 1);
	__asm__ volatile("" : "+r"(x));
	return x;
}

static void *run(void *seed)
{
	uint64_t x = (uint64_t)(uintptr_t)seed;

	for (uint64_t i = 0; i < n_calls; i++)
		x = descend(x, depth);
	return (void *)(uintptr_t)x;
}

static long peak_kib(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[256];
	long kib = 0;

	while (status && fgets(line, sizeof(line), status))
		sscanf(line, "VmHWM: %ld", &kib);
	if (status)
		fclose(status);
	return kib;
}

int main(int argc, char **argv)
{
	unsigned n_threads = argc > 3 ? atoi(argv[3]) : 1;
	pthread_t *ids = calloc(n_threads, sizeof(*ids));
	struct rusage usage;

	depth = argc > 1 ? atoi(argv[1]) : 16;
	n_calls = argc > 2 ? strtoull(argv[2], NULL, 10) : 200000;
	for (unsigned i = 1; i < n_threads; i++)
		pthread_create(&ids[i], NULL, run, (void *)(uintptr_t)i);
	run((void *)(uintptr_t)argc);
	for (unsigned i = 1; i < n_threads; i++)
		pthread_join(ids[i], NULL);
	getrusage(RUSAGE_SELF, &usage);
	printf("%.6f %ld\n",
		usage.ru_utime.tv_sec + usage.ru_utime.tv_usec * 1e-6 + usage.ru_stime.tv_sec +
			usage.ru_stime.tv_usec * 1e-6,
		peak_kib());
	free(ids);
	return 0;
}
