// SPDX-License-Identifier: BSD-3-Clause
/* Six procedures that take turns of some milliseconds, the same work each time: parts ROUNDS PERCENT. A fifth of the
 * time is mix's, whose work is PERCENT of what it is otherwise. What bench/gate.py finds, or must not. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_NUMBERS = 1 << 18, N_CELLS = 1 << 13 };

static double numbers[N_NUMBERS], cells[N_CELLS];
static uint32_t next[N_NUMBERS];

/* The statement without code keeps compilers from taking a call for one that need not be made again. */
#define PART __attribute__((noinline)) static
#define MADE_EACH_TIME __asm__ volatile("")

PART double series(int n)
{
	double sum = 0;

	MADE_EACH_TIME;
	for (int i = 1; i <= n; i++)
		sum += 1. / ((double)i * i);
	return sum;
}

PART uint64_t mix(int n)
{
	uint64_t x = 88172645463325252ull;

	MADE_EACH_TIME;
	for (int i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

PART uint32_t chase(int n)
{
	uint32_t at = 0;

	for (int i = 0; i < n; i++)
		at = next[at];
	return at;
}

PART double stream(int n)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		for (int k = 0; k < N_NUMBERS; k++)
			sum += numbers[k];
	return sum;
}

PART void smooth(int n)
{
	for (int i = 0; i < n; i++)
		for (int k = 1; k < N_CELLS - 1; k++)
			cells[k] = (cells[k - 1] + cells[k] + cells[k + 1]) / 3;
}

PART int branches(int n)
{
	uint32_t x = 12345;
	int count = 0;

	for (int i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		if (x >> 31)
			count += (x >> 8) & 1 ? i : -i;
		else
			count ^= i;
	}
	return count;
}

/* A permutation in one cycle: Sattolo's. */
static void fill(void)
{
	uint32_t x = 1;

	for (uint32_t i = 0; i < N_NUMBERS; i++) {
		next[i] = i;
		numbers[i] = i;
	}
	for (uint32_t i = N_NUMBERS - 1; i > 0; i--) {
		uint32_t k, other;

		x = x * 1664525 + 1013904223;
		k = (uint32_t)((uint64_t)x * i >> 32);
		other = next[i];
		next[i] = next[k];
		next[k] = other;
	}
	for (uint32_t i = 0; i < N_CELLS; i++)
		cells[i] = i & 7;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 100, percent = argc > 2 ? atoi(argv[2]) : 100;
	double sum = 0;

	fill();
	for (int i = 0; i < rounds; i++) {
		sum += series(1700000);
		sum += (double)mix(16000 * percent);
		sum += chase(120000);
		sum += stream(8);
		smooth(24);
		sum += branches(450000);
	}
	printf("%g %g\n", sum, cells[1]);
	return 0;
}
