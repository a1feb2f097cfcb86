// SPDX-License-Identifier: BSD-3-Clause
/* Two procedures by turns: memory, 300 loads that miss the caches, and compute, multiplications
 * without a load. Argument: how many turns. */
#include <stdio.h>
#include <stdlib.h>

#define N_PLACES (1u << 22)
#define LOADS 300
#define MULTIPLICATIONS 3000

static unsigned *next;
static unsigned place;

__attribute__((noinline)) static unsigned memory(void)
{
	unsigned at = place;

	for (int i = 0; i < LOADS; i++)
		at = next[at];
	place = at;
	return at;
}

__attribute__((noinline)) static unsigned compute(unsigned x)
{
	for (int i = 0; i < MULTIPLICATIONS; i++)
		x = x * 1664525u + 1013904223u;
	return x;
}

int main(int argc, char **argv)
{
	int n_turns = argc > 1 ? atoi(argv[1]) : 60000;
	unsigned sum = 1;

	next = malloc(N_PLACES * sizeof(*next));
	if (!next)
		return 1;
	for (unsigned i = 0; i < N_PLACES; i++)
		next[i] = (i * 1664525u + 1013904223u) % N_PLACES;
	for (int i = 0; i < n_turns; i++)
		sum ^= memory() + compute(sum);
	printf("%u\n", sum);
	free(next);
	return 0;
}
