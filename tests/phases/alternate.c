// SPDX-License-Identifier: BSD-3-Clause
/*
 * A program whose phases are known: alternate SEQUENCE [MS], a letter for each: the procedure of that letter computes
 * for MS (200) ms of CPU time, so that a busy machine changes how long the phase takes and not how much it is. With MS
 * it prints whenever it looks at its clocks: the time of day, its CPU time and the letter.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t sink;
static bool tells;

static double seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double cpu_s(void)
{
	return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

static bool is_before(double until_s, char letter)
{
	double now_s = cpu_s();

	if (tells)
		printf("%.6f %.6f %c\n", seconds_of(CLOCK_REALTIME), now_s, letter);
	return now_s < until_s;
}

/* Each looks at the clock some times in a millisecond to once in one. */
enum { N_STEPS = 200000 };

__attribute__((noinline)) static void add(double until_s)
{
	while (is_before(until_s, 'a'))
		for (uint64_t i = 0; i < N_STEPS; i++)
			sink += i;
}

__attribute__((noinline)) static void multiply(double until_s)
{
	while (is_before(until_s, 'm'))
		for (uint64_t i = 0; i < N_STEPS; i++)
			sink *= i | 1;
}

__attribute__((noinline)) static void divide(double until_s)
{
	while (is_before(until_s, 'd'))
		for (uint64_t i = 1; i < N_STEPS; i++)
			sink = (sink | 1u << 31) / i;
}

int main(int argc, char **argv)
{
	double until_s = cpu_s(), phase_s = argc > 2 ? atof(argv[2]) / 1000 : 0.2;

	tells = argc > 2;
	for (const char *letter = argc > 1 ? argv[1] : ""; *letter; letter++) {
		until_s += phase_s;
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
