// SPDX-License-Identifier: BSD-3-Clause
/* A program that is linked statically, so that no library comes into it: 120 ms of CPU time. */
#include <stdint.h>
#include <time.h>

static uint64_t cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

int main(void)
{
	uint64_t start = cpu_ns(); /* what the process was before has its part */
	volatile uint64_t x = 1;

	while (cpu_ns() - start < 120000000)
		for (int i = 0; i < 20000; i++)
			x = x * 3 + 1;
	return 0;
}
