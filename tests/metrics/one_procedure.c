// SPDX-License-Identifier: BSD-3-Clause
/* A program that is in one procedure nearly all the time, so that its counts are that one's: one_procedure N */
#include <stdlib.h>

static volatile unsigned result;

static __attribute__((noinline)) void add_up(long n)
{
	for (long i = 0; i < n; i++)
		result += (unsigned)i;
}

int main(int argc, char **argv)
{
	add_up(argc > 1 ? atol(argv[1]) : 0);
	return 0;
}
