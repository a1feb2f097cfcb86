// SPDX-License-Identifier: BSD-3-Clause
/*
 * The time that a tick takes to read the frames of 20 functions of a script, for each version of CPython, in
 * ns: the median with warm caches, and after 4 MiB of others' data. Frames are made here, side by side.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/python_image.h"

enum { N_WARM = 20000, N_COLD = 1000, N_OTHERS = 1 << 22 };

static double times_ns[N_WARM];
static volatile uint8_t others[N_OTHERS];

static double clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void use_caches(void)
{
	for (uint32_t i = 0; i < N_OTHERS; i += 64)
		others[i]++;
}

static double median_ns(uint32_t n, void (*between)(void))
{
	struct ep_stack_bounds stack = { at(CFRAME_AT), at(CFRAME_AT + 64) };

	for (uint32_t i = 0; i < n; i++) {
		double start_ns;

		if (between)
			between();
		start_ns = clock_ns();
		read_and_number(stack);
		times_ns[i] = clock_ns() - start_ns;
	}
	qsort(times_ns, n, sizeof(times_ns[0]), compare);
	return times_ns[n / 2];
}

static void measure(unsigned minor, const char *which, void (*make)(unsigned minor))
{
	double warm_ns;

	make(minor);
	ep_interpreted_reset(&own);
	own.python.peek.pid = (uint32_t)getpid();
	warm_ns = median_ns(N_WARM, NULL);
	printf("3.%-3u %6.0f ns warm %6.0f ns cold%s\n", minor, warm_ns,
		median_ns(N_COLD, use_caches), which);
}

int main(void)
{
	for (unsigned minor = 8; ep_layout_of(minor); minor++) {
		measure(minor, "", make_interpreter);
		if (ep_layout_of(minor)->thread_chunk != EP_LAYOUT_NONE)
			measure(minor, ", main thread", make_main_thread);
	}
	return 0;
}
