// SPDX-License-Identifier: BSD-3-Clause
/* The tables of loops for roofs, with the tests whether this CPU can run them. The tests are those of the
 * floating-point kernels for calibration. */
#include "kernels/micro/roofs.h"

#include <string.h>

#include "common/cleanup.h"
#include "kernels/micro/flops.h"

static bool is_supported(const char *point)
{
	for (size_t i = 0; i < ep_n_flops_kernels; i++)
		if (!strcmp(ep_flops_kernels[i].point, point))
			return ep_flops_kernels[i].is_supported();
	return false;
}

#define PEAK(name_, point, about_, per_instruction)                                                \
	void ep_peak_##name_(uint64_t n_rounds);                                                   \
	static bool has_##name_(void)                                                              \
	{                                                                                          \
		return is_supported(point);                                                        \
	}
#define PEAK_ROW(name_, point, about_, per_instruction)                                            \
	{ #name_, about_, ep_peak_##name_, 96.0 * (per_instruction), has_##name_ },

#define PEAKS_OF_ALL(X)                                                                            \
	X(DP_SCALAR, "K_D_SCAL_24", "Double precision, scalar", 1)                                 \
	X(SP_SCALAR, "K_S_SCAL_24", "Single precision, scalar", 1)
#define PEAKS_OF_128(X)                                                                            \
	X(DP_SCALAR_FMA, "K_D_FMA_SCAL_12", "Double precision, scalar, fused multiply-add", 2)     \
	X(DP_128, "K_D_128_24", "Double precision in 128-bit vectors", 2)                          \
	X(DP_128_FMA, "K_D_FMA_128_12", "Double precision in 128-bit vectors, fused multiply-add", \
		4)                                                                                 \
	X(SP_SCALAR_FMA, "K_S_FMA_SCAL_12", "Single precision, scalar, fused multiply-add", 2)     \
	X(SP_128, "K_S_128_24", "Single precision in 128-bit vectors", 4)                          \
	X(SP_128_FMA, "K_S_FMA_128_12", "Single precision in 128-bit vectors, fused multiply-add", \
		8)
#define PEAKS_OF_512(X)                                                                            \
	X(DP_256, "K_D_256_24", "Double precision in 256-bit vectors", 4)                          \
	X(DP_256_FMA, "K_D_FMA_256_12", "Double precision in 256-bit vectors, fused multiply-add", \
		8)                                                                                 \
	X(DP_512, "K_D_512_24", "Double precision in 512-bit vectors", 8)                          \
	X(DP_512_FMA, "K_D_FMA_512_12", "Double precision in 512-bit vectors, fused multiply-add", \
		16)                                                                                \
	X(SP_256, "K_S_256_24", "Single precision in 256-bit vectors", 8)                          \
	X(SP_256_FMA, "K_S_FMA_256_12", "Single precision in 256-bit vectors, fused multiply-add", \
		16)                                                                                \
	X(SP_512, "K_S_512_24", "Single precision in 512-bit vectors", 16)                         \
	X(SP_512_FMA, "K_S_FMA_512_12", "Single precision in 512-bit vectors, fused multiply-add", \
		32)

#if defined(__x86_64__)

#define PEAKS(X) PEAKS_OF_ALL(X) PEAKS_OF_128(X) PEAKS_OF_512(X)

#define STREAM(width)                                                                              \
	void ep_load_##width(char *const *arrays, size_t size_bytes);                              \
	void ep_triad_##width(char *const *arrays, size_t size_bytes);
STREAM(128)
STREAM(256)
STREAM(512)

static ep_stream_fn choose_load(void)
{
	return is_supported("K_D_512_24")   ? ep_load_512
	       : is_supported("K_D_256_24") ? ep_load_256
					    : ep_load_128;
}

static ep_stream_fn choose_triad(void)
{
	return is_supported("K_D_512_24")   ? ep_triad_512
	       : is_supported("K_D_256_24") ? ep_triad_256
					    : ep_triad_128;
}

#elif defined(__aarch64__)

#include <asm/hwcap.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#define PEAKS(X) PEAKS_OF_ALL(X) PEAKS_OF_128(X)

/* Returns the length of this process's SVE vectors in bits; 0: there is no SVE. Only the lengths of rows
 * below are used. */
static int sve_bits(void)
{
	int length = getauxval(AT_HWCAP) & HWCAP_SVE ? prctl(PR_SVE_GET_VL) : -1;

	return length < 0 ? 0 : 8 * (length & PR_SVE_VL_LEN_MASK);
}

static bool has_sve_256(void)
{
	return sve_bits() == 256;
}

static bool has_sve_512(void)
{
	return sve_bits() == 512;
}

void ep_peak_DP_SVE(uint64_t n_rounds);
void ep_peak_SP_SVE(uint64_t n_rounds);
void ep_peak_DP_SVE_FMA(uint64_t n_rounds);
void ep_peak_SP_SVE_FMA(uint64_t n_rounds);

/* Rows for one vector length: a double-precision instruction has bits / 64 operations. */
#define SVE_ROWS(bits)                                                                             \
	{ "DP_" #bits, "Double precision in " #bits "-bit vectors", ep_peak_DP_SVE,                \
		96.0 * (bits) / 64, has_sve_##bits },                                              \
		{ "DP_" #bits "_FMA",                                                              \
			"Double precision in " #bits "-bit vectors, fused multiply-add",           \
			ep_peak_DP_SVE_FMA, 2 * 96.0 * (bits) / 64, has_sve_##bits },              \
		{ "SP_" #bits, "Single precision in " #bits "-bit vectors", ep_peak_SP_SVE,        \
			96.0 * (bits) / 32, has_sve_##bits },                                      \
		{ "SP_" #bits "_FMA",                                                              \
			"Single precision in " #bits "-bit vectors, fused multiply-add",           \
			ep_peak_SP_SVE_FMA, 2 * 96.0 * (bits) / 32, has_sve_##bits },
#define MORE_ROWS SVE_ROWS(256) SVE_ROWS(512)

#define STREAM(width)                                                                              \
	void ep_load_##width(char *const *arrays, size_t size_bytes);                              \
	void ep_triad_##width(char *const *arrays, size_t size_bytes);
STREAM(128)
STREAM(sve)

static bool has_wide_sve(void)
{
	return has_sve_256() || has_sve_512();
}

static ep_stream_fn choose_load(void)
{
	return has_wide_sve() ? ep_load_sve : ep_load_128;
}

static ep_stream_fn choose_triad(void)
{
	return has_wide_sve() ? ep_triad_sve : ep_triad_128;
}

#else

#define PEAKS(X) PEAKS_OF_ALL(X)

/* An empty statement after which the compiler does not know the values of the chains. */
#define KEEP(x) __asm__ volatile("" : "+m"(x))
#define SCALAR_PEAK(name, type)                                                                    \
	void ep_peak_##name(uint64_t n_rounds)                                                     \
	{                                                                                          \
		type x[12] = { 0 };                                                                \
                                                                                                   \
		KEEP(x);                                                                           \
		for (uint64_t i = 0; i < n_rounds * 8; i++)                                        \
			for (int j = 0; j < 12; j++)                                               \
				x[j] = j % 2 ? x[j] + x[j] : x[j] * x[j];                          \
		KEEP(x);                                                                           \
	}

static void load_portable(char *const *arrays, size_t size_bytes)
{
	const uint64_t *from = (const uint64_t *)arrays[0];
	uint64_t any[4] = { 0 };

	for (size_t i = 0; i < size_bytes / 8; i += 4)
		for (int j = 0; j < 4; j++)
			any[j] |= from[i + j];
	KEEP(any);
}

static void triad_portable(char *const *arrays, size_t size_bytes)
{
	double *a = (double *)arrays[0], s = 0;
	const double *b = (const double *)arrays[1], *c = (const double *)arrays[2];

	KEEP(s);
	for (size_t i = 0; i < size_bytes / 8; i++)
		a[i] = b[i] + s * c[i];
}

static ep_stream_fn choose_load(void)
{
	return load_portable;
}

static ep_stream_fn choose_triad(void)
{
	return triad_portable;
}

#endif

PEAKS(PEAK)

#if !defined(__x86_64__) && !defined(__aarch64__)
SCALAR_PEAK(DP_SCALAR, double)
SCALAR_PEAK(SP_SCALAR, float)
#endif

#ifndef MORE_ROWS
#define MORE_ROWS
#endif
const struct ep_peak_kernel ep_peak_kernels[] = { PEAKS(PEAK_ROW) MORE_ROWS };
const size_t ep_n_peak_kernels = EP_ARRAY_SIZE(ep_peak_kernels);

const struct ep_stream_kernel ep_stream_kernels[EP_N_STREAM_KERNELS] = {
	{ "Load", "loads alone", 1, choose_load },
	{ "Triad", "the triad a = b + s * c, two loads and a store", 3, choose_triad },
};
