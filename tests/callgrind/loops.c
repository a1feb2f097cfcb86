// SPDX-License-Identifier: BSD-3-Clause
/* Loops whose instructions lie together: nested, with calls, with floating-point arithmetic, beside each other. */
#include <stdio.h>

#define N 24

double a[N][N], b[N][N], c[N][N]; /* visible outside, so that no compiler knows that they are 0 */
unsigned words[4096];

__attribute__((noinline)) static void multiply_matrices(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			double sum = 0;

			for (int k = 0; k < N; k++)
				sum += a[i][k] * b[k][j];
			c[i][j] = sum / 3;
		}
}

__attribute__((noinline)) static unsigned scramble(unsigned seed)
{
	for (int i = 0; i < 4096; i++) {
		seed = seed * 1664525 + 1013904223;
		words[i] ^= seed;
	}
	for (int i = 0; i < 4096; i += 16)
		if (words[i] & 1)
			seed += words[i] >> 3;
	return seed;
}

/* Its loops' costs are those of what they call. */
__attribute__((noinline)) static unsigned call_others(void)
{
	unsigned seed = 1;

	for (int i = 0; i < 3; i++) {
		seed = scramble(seed);
		multiply_matrices();
		multiply_matrices();
	}
	return seed;
}

/* Callgrind counts a call of itself with all that is called in turn: more than there is. */
__attribute__((noinline)) static unsigned recurse(int depth)
{
	unsigned sum = 1;

	for (int i = 0; depth && i < 4; i++)
		sum += recurse(depth - 1) * 3;
	return sum;
}

/* The first loop has most of it, but not nearly all. */
__attribute__((noinline)) static unsigned share_work(void)
{
	unsigned sum = 0;

	for (int i = 0; i < 500000; i++)
		sum += words[i % 4096];
	for (int i = 0; i < 300000; i++)
		sum ^= words[i % 4096];
	return sum;
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		printf("%u\n", share_work());
		return 0;
	}
	printf("%u\n", call_others() + recurse(5));
	return 0;
}
