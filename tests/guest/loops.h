/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops whose instruction count is known: written in assembly, so that no compiler changes it. */
#ifndef EVPROF_TESTS_GUEST_LOOPS_H
#define EVPROF_TESTS_GUEST_LOOPS_H

#define LOOP_N_INSTRUCTIONS 4

/* Runs n_rounds times LOOP_N_INSTRUCTIONS instructions; n_rounds at least 1. Two more around it. */
static inline __attribute__((always_inline)) void run_loop(unsigned long n_rounds)
{
#if defined(__aarch64__)
	__asm__ volatile("1:	nop\n\tnop\n\tsubs %0, %0, #1\n\tb.ne 1b" : "+r"(n_rounds)::"cc");
#elif defined(__powerpc64__)
	__asm__ volatile("1:	nop\n\taddic. %0, %0, -1\n\tnop\n\tbne 1b"
			 : "+b"(n_rounds)::"cc", "xer");
#elif defined(__x86_64__)
	__asm__ volatile("1:	nop\n\tnop\n\tsub $1, %0\n\tjne 1b" : "+r"(n_rounds)::"cc");
#else
#error "no known loop for this architecture"
#endif
}

#endif
