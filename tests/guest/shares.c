// SPDX-License-Identifier: BSD-3-Clause
/*
 * Three procedures by turns that have 60, 30 and 10 % of the instructions. They are written in assembly, so that the
 * instructions of each are known to the last one. Prints them: "PROCEDURE INSTRUCTIONS".
 */
#include <stdio.h>
#include <stdlib.h>

/* Each argument is the number of loops of four instructions, at least 1; the return is one more. */
void many(unsigned long n_loops);
void some(unsigned long n_loops);
void few(unsigned long n_loops);

#if defined(__aarch64__)
#define LOOP "1:	nop\n	nop\n	subs x0, x0, #1\n	b.ne 1b\n	ret\n"
#elif defined(__powerpc64__)
#define LOOP "1:	nop\n	addic. 3, 3, -1\n	nop\n	bne 1b\n	blr\n"
#elif defined(__x86_64__)
#define LOOP "1:	nop\n	nop\n	sub $1, %rdi\n	jne 1b\n	ret\n"
#else
#error "no known loop for this architecture"
#endif

#define PROCEDURE(name)                                                                            \
	__asm__("	.text\n	.balign 64\n	.globl " #name "\n	.type " #name              \
		", %function\n" #name ":\n"                                                        \
		"	.cfi_startproc\n" LOOP "	.cfi_endproc\n	.size " #name ", .-" #name \
		"\n")
PROCEDURE(many);
PROCEDURE(some);
PROCEDURE(few);

static unsigned long instructions(unsigned long n_loops, unsigned long n_rounds)
{
	return (4 * n_loops + 1) * n_rounds;
}

int main(int argc, char **argv)
{
	unsigned long n_loops = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long n_rounds = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;

	if (!n_loops || !n_rounds) {
		fprintf(stderr, "usage: shares LOOPS ROUNDS\n");
		return 2;
	}
	for (unsigned long i = 0; i < n_rounds; i++) {
		many(6 * n_loops);
		some(3 * n_loops);
		few(n_loops);
	}
	printf("many %lu\n", instructions(6 * n_loops, n_rounds));
	printf("some %lu\n", instructions(3 * n_loops, n_rounds));
	printf("few %lu\n", instructions(n_loops, n_rounds));
	return 0;
}
