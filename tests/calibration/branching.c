// SPDX-License-Identifier: BSD-3-Clause
/* Executes as many conditional branches as its argument says, in one procedure. */
#include <stdlib.h>

__attribute__((noinline)) static void branch_so_often(long n)
{
	long i = 0; /* set before the loop: callgrind takes a branch to the entry for a call */

	do
		__asm__ volatile("" : "+r"(i));
	while (++i < n);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	branch_so_often(atol(argv[1]));
	return 0;
}
