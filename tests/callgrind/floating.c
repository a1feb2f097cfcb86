// SPDX-License-Identifier: BSD-3-Clause
/* Procedures whose floating-point instructions are known: those that stand there, by rounds. */
#include <string.h>
#include <sys/mman.h>

#define N 30
#define ROUNDS 1000

double a[N][N], b[N][N], c[N][N]; /* visible outside, so that no compiler knows that they are 0 */

/* N^3 products and as many sums. */
__attribute__((noinline)) static void multiply_matrices(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			double sum = 0;

			for (int k = 0; k < N; k++)
				sum += a[i][k] * b[k][j];
			c[i][j] = sum;
		}
}

#include <string.h>
#include <sys/mman.h>

#define ROUNDS_OF(instructions)                                                                    \
	for (int i = 0; i < ROUNDS; i++)                                                           \
	__asm__ volatile(instructions ::: "xmm0", "xmm1", "xmm2")

/* Two of each kind that is a class; the moves, comparisons, conversions and logic are none. */
__attribute__((noinline)) static void scalar_and_128(void)
{
	ROUNDS_OF(
		"addsd %%xmm1, %%xmm0; subsd %%xmm1, %%xmm0; mulsd %%xmm1, %%xmm0; divsd %%xmm1, %%xmm0;"
		"sqrtss %%xmm1, %%xmm2; addss %%xmm1, %%xmm2; minss %%xmm1, %%xmm2; rcpss %%xmm1, %%xmm2;"
		"addpd %%xmm1, %%xmm0; mulpd %%xmm1, %%xmm0; sqrtpd %%xmm1, %%xmm0; addps %%xmm1, %%xmm2;"
		"mulps %%xmm1, %%xmm2; divps %%xmm1, %%xmm2; movapd %%xmm0, %%xmm1; ucomisd %%xmm0, %%xmm1;"
		"cvtss2sd %%xmm2, %%xmm0; xorps %%xmm0, %%xmm0; paddd %%xmm1, %%xmm1; movsd %%xmm1, %%xmm0");
}

__attribute__((noinline)) static void x87(void)
{
	for (int i = 0; i < ROUNDS; i++)
		__asm__ volatile("fld1; fld1; faddp; fld1; fmulp; fld1; fdivp; fsqrt; fstp %%st(0)"
				 :
				 :
				 : "st");
}

__attribute__((noinline)) static void wide(void)
{
	ROUNDS_OF("vaddpd %%ymm1, %%ymm0, %%ymm0; vmulps %%ymm1, %%ymm0, %%ymm0;"
		  "vdivpd %%ymm1, %%ymm0, %%ymm0; vaddsd %%xmm1, %%xmm0, %%xmm0;"
		  "vfmadd231pd %%ymm1, %%ymm0, %%ymm0; vfnmsub213ps %%xmm1, %%xmm0, %%xmm0;"
		  "vfmadd132sd %%xmm1, %%xmm0, %%xmm0; vfmaddsub231ps %%ymm1, %%ymm0, %%ymm0;"
		  "vzeroupper");
}

/* addsd and ret, in no file. */
static void run_made_code(void)
{
	static const unsigned char bytes[] = { 0xf2, 0x0f, 0x58, 0xc1, 0xc3 };
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		return;
	memcpy(code, bytes, sizeof(bytes));
	if (mprotect(code, 4096, PROT_READ | PROT_EXEC))
		return;
	for (int i = 0; i < ROUNDS; i++)
		((void (*)(void))code)();
}

int main(void)
{
	run_made_code();
	multiply_matrices();
	scalar_and_128();
	x87();
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		wide();
	return c[1][1] > 1;
}
