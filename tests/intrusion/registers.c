/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * After an interruption, a program must find everything as it was: errno, the rounding mode, the floating-point flags,
 * vector registers, and the memory below the stack pointer that leaf functions use.
 */
#include "probe.h"

#include <fenv.h>
#include <immintrin.h>

static void keep_errno(void)
{
	for (int i = 0; i < 300; i++) {
		errno = 4000 + i;
		burn_rounds(30000);
		EXPECT_INT(errno, 4000 + i);
	}
}

static void keep_rounding(void)
{
	for (int i = 0; i < 100; i++) {
		fesetround(i % 2 ? FE_UPWARD : FE_TOWARDZERO);
		feclearexcept(FE_ALL_EXCEPT);
		burn_rounds(50000);
		EXPECT_INT(fegetround(), i % 2 ? FE_UPWARD : FE_TOWARDZERO);
		EXPECT_INT(fetestexcept(FE_ALL_EXCEPT), 0);
	}
	fesetround(FE_TONEAREST);
}

__attribute__((target("avx2"))) static void keep_vectors(void)
{
	__m256i held = _mm256_set1_epi64x(0x0123456789abcdef);

	for (int i = 0; i < 100; i++) {
		unsigned long n = 200000;

		__asm__ volatile("1:\tdecq %[n]\n\tjnz 1b" : [n] "+r"(n), "+x"(held));
		EXPECT_INT(_mm256_movemask_epi8(
				   _mm256_cmpeq_epi8(held, _mm256_set1_epi64x(0x0123456789abcdef))),
			-1);
	}
}

static void keep_red_zone(void)
{
	for (int i = 0; i < 100; i++) {
		unsigned long n = 200000, kept;

		__asm__ volatile("movq %[n], -128(%%rsp)\n"
				 "1:\tdecq %[n]\n\t"
				 "jnz 1b\n\t"
				 "movq -128(%%rsp), %[kept]"
				 : [n] "+r"(n), [kept] "=r"(kept)
				 :
				 : "memory");
		EXPECT_INT(kept, 200000);
	}
}

static void *keep_all(void *unused)
{
	keep_errno();
	keep_rounding();
	if (__builtin_cpu_supports("avx2"))
		keep_vectors();
	keep_red_zone();
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, keep_all, NULL);
	keep_all(NULL);
	pthread_join(thread, NULL);
	return probe_end();
}
