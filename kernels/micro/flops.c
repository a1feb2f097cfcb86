// SPDX-License-Identifier: BSD-3-Clause
/* The table of floating-point kernels, with the tests whether this CPU can run them. */
#include "kernels/micro/flops.h"

#include "common/cleanup.h"

static bool always(void)
{
	return true;
}

#if defined(__x86_64__)

#include <cpuid.h>

static bool has_avx(void)
{
	return __builtin_cpu_supports("avx");
}

static bool has_fma(void)
{
	return __builtin_cpu_supports("avx") && __builtin_cpu_supports("fma");
}

/* Tells whether AVX-512 can be used: __builtin_cpu_supports also asks the operating system (XGETBV). */
static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f");
}

/* Tells whether AVX512-FP16 can be used: CPUID leaf 7, EDX bit 23 (Intel SDM vol. 2, CPUID), which older
 * compilers have no name for. */
static bool has_avx512_fp16(void)
{
	unsigned eax, ebx, ecx, edx;

	return __builtin_cpu_supports("avx512vl") &&
	       __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && edx & 1u << 23;
}

#define PLAIN_KERNELS(K)                                                                           \
	K(S_SCAL, always)                                                                          \
	K(S_128, always)                                                                           \
	K(S_256, has_avx)                                                                          \
	K(S_512, has_avx512)                                                                       \
	K(D_SCAL, always)                                                                          \
	K(D_128, always)                                                                           \
	K(D_256, has_avx)                                                                          \
	K(D_512, has_avx512)                                                                       \
	K(H_SCAL, has_avx512_fp16)                                                                 \
	K(H_128, has_avx512_fp16)                                                                  \
	K(H_256, has_avx512_fp16)                                                                  \
	K(H_512, has_avx512_fp16)
#define FMA_KERNELS(K)                                                                             \
	K(S_FMA_SCAL, has_fma)                                                                     \
	K(S_FMA_128, has_fma)                                                                      \
	K(S_FMA_256, has_fma)                                                                      \
	K(S_FMA_512, has_avx512)                                                                   \
	K(D_FMA_SCAL, has_fma)                                                                     \
	K(D_FMA_128, has_fma)                                                                      \
	K(D_FMA_256, has_fma)                                                                      \
	K(D_FMA_512, has_avx512)                                                                   \
	K(H_FMA_SCAL, has_avx512_fp16)                                                             \
	K(H_FMA_128, has_avx512_fp16)                                                              \
	K(H_FMA_256, has_avx512_fp16)                                                              \
	K(H_FMA_512, has_avx512_fp16)

#elif defined(__aarch64__)

#include <asm/hwcap.h>
#include <sys/auxv.h>

static bool has_fp16(void)
{
	unsigned long both = HWCAP_FPHP | HWCAP_ASIMDHP;

	return (getauxval(AT_HWCAP) & both) == both;
}

#define PLAIN_KERNELS(K)                                                                           \
	K(S_SCAL, always)                                                                          \
	K(S_128, always)                                                                           \
	K(D_SCAL, always)                                                                          \
	K(D_128, always)                                                                           \
	K(H_SCAL, has_fp16)                                                                        \
	K(H_128, has_fp16)
#define FMA_KERNELS(K)                                                                             \
	K(S_FMA_SCAL, always)                                                                      \
	K(S_FMA_128, always)                                                                       \
	K(D_FMA_SCAL, always)                                                                      \
	K(D_FMA_128, always)                                                                       \
	K(H_FMA_SCAL, has_fp16)                                                                    \
	K(H_FMA_128, has_fp16)

#else

/* Scalar kernels in C; volatile operands keep the compiler from joining or removing operations. */
#define PORTABLE(name, type, n)                                                                    \
	static void ep_flops_##name##_##n(void)                                                    \
	{                                                                                          \
		volatile type x = 0;                                                               \
		for (int i = 0; i < n / 2; i++) {                                                  \
			x = x * (type)1.5;                                                         \
			x = x + (type)1.5;                                                         \
		}                                                                                  \
	}                                                                                          \
	static const char *const ep_flops_##name##_##n##_end = NULL;

PORTABLE(S_SCAL, float, 24)
PORTABLE(S_SCAL, float, 48)
PORTABLE(S_SCAL, float, 96)
PORTABLE(D_SCAL, double, 24)
PORTABLE(D_SCAL, double, 48)
PORTABLE(D_SCAL, double, 96)

#define PLAIN_KERNELS(K)                                                                           \
	K(S_SCAL, always)                                                                          \
	K(D_SCAL, always)
#define FMA_KERNELS(K)

#endif

#if defined(__x86_64__) || defined(__aarch64__)
#define DECLARE(name, n)                                                                           \
	void ep_flops_##name##_##n(void);                                                          \
	extern const char ep_flops_##name##_##n##_end[];
#define DECLARE_PLAIN(name, check) DECLARE(name, 24) DECLARE(name, 48) DECLARE(name, 96)
#define DECLARE_FMA(name, check) DECLARE(name, 12) DECLARE(name, 24) DECLARE(name, 48)
PLAIN_KERNELS(DECLARE_PLAIN)
FMA_KERNELS(DECLARE_FMA)
#endif

#define ROW(name, n, check)                                                                        \
	{ "K_" #name "_" #n, ep_flops_##name##_##n, ep_flops_##name##_##n##_end, check },
#define PLAIN_ROWS(name, check) ROW(name, 24, check) ROW(name, 48, check) ROW(name, 96, check)
#define FMA_ROWS(name, check) ROW(name, 12, check) ROW(name, 24, check) ROW(name, 48, check)

const struct ep_flops_kernel ep_flops_kernels[] = { PLAIN_KERNELS(PLAIN_ROWS)
		FMA_KERNELS(FMA_ROWS) };
const size_t ep_n_flops_kernels = EP_ARRAY_SIZE(ep_flops_kernels);
