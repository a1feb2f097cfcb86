// SPDX-License-Identifier: BSD-3-Clause
/*
 * Two procedures take turns: touch writes to fresh pages, compute does not. The kernel counts the page
 * faults, and all but those of the start are touch's. Prints how many pages it touched.
 *
 * usage: faults TURNS
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGES_A_TURN 4
#define PAGE_BYTES 4096

__attribute__((noinline)) static void touch(volatile char *pages)
{
	for (int i = 0; i < PAGES_A_TURN; i++)
		pages[(size_t)i * PAGE_BYTES] = 1;
}

__attribute__((noinline)) static double compute(double x)
{
	for (int i = 0; i < 20000; i++)
		x = x * 1.0000001 + 1e-9;
	return x;
}

int main(int argc, char **argv)
{
	long n_turns = argc > 1 ? atol(argv[1]) : 1000;
	double x = 1;

	for (long i = 0; i < n_turns; i++) {
		char *pages = mmap(NULL, PAGES_A_TURN * PAGE_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (pages == MAP_FAILED)
			return 1;
		touch(pages);
		munmap(pages, PAGES_A_TURN * PAGE_BYTES);
		x = compute(x);
	}
	printf("%ld\n", n_turns * PAGES_A_TURN);
	return x == 0;
}
