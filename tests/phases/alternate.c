// SPDX-License-Identifier: BSD-3-Clause
/*
 * A program whose phases are known: alternate SEQUENCE, a letter for each: the procedure of that letter computes
 * for 0.2 s of CPU time, so that a busy machine changes how long the phase takes and not how much it is.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static volatile uint64_t sink;

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Each looks at the clock some hundred times in a phase. */
enum { N_STEPS = 1000000 };

__attribute__((noinline)) static void add(double until_s)
{
	while (cpu_s() < until_s)
		for (uint64_t i = 0; i < N_STEPS; i++)
			sink += i;
}

__attribute__((noinline)) static void multiply(double until_s)
{
	while (cpu_s() < until_s)
		for (uint64_t i = 0; i < N_STEPS; i++)
			sink *= i | 1;
}

__attribute__((noinline)) static void divide(double until_s)
{
	while (cpu_s() < until_s)
		for (uint64_t i = 1; i < N_STEPS; i++)
			sink = (sink | 1u << 31) / i;
}

int main(int argc, char **argv)
{
	double until_s = cpu_s();

	for (const char *letter = argc > 1 ? argv[1] : ""; *letter; letter++) {
		until_s += 0.2;
		if (*letter == 'a')
			add(until_s);
		else if (*letter == 'm')
			multiply(until_s);
		else
			divide(until_s);
	}
	printf("%d\n", (int)(sink & 1));
	return 0;
}
