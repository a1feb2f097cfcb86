/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes exponentials in a form that the compiler can vectorize, with a relative error below 2e-7
 * (test_fast_math); and the larger and the smaller of two numbers in one instruction each. */
#ifndef EVPROF_REPORTER_ESTIMATE_FAST_MATH_H
#define EVPROF_REPORTER_ESTIMATE_FAST_MATH_H

#include <stdint.h>
#include <string.h>

/* Marks functions whose loops are compiled a second time for CPUs with AVX2; the program takes the version
 * for its CPU when it starts. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
	!defined(__SANITIZE_ADDRESS__)
#define EP_HOT __attribute__((target_clones("avx2", "default"), optimize("O3")))
#else
#define EP_HOT
#endif

/* Returns the larger number, b if a is NaN. fmax and fmin are slower: they are calls into the library, since
 * they have to test both arguments for NaN. */
static inline double ep_larger(double a, double b)
{
	return a > b ? a : b;
}

static inline double ep_smaller(double a, double b)
{
	return a < b ? a : b;
}

/* Returns e^x for -87 <= x <= 88; x outside of this range is taken as the nearer limit. Splits x = n ln 2 +
 * r, |r| <= ln 2 / 2; the polynomial is that of Cephes' expf. */
static inline __attribute__((always_inline)) float ep_exp(float x)
{
	float n, r, p;
	int32_t bits;

	x = x < -87.0f ? -87.0f : x;
	x = x > 88.0f ? 88.0f : x;
	/* adding and subtracting 1.5 * 2^23 rounds to the nearest whole number */
	n = (x * 1.44269504f + 12582912.0f) - 12582912.0f;
	r = x - n * 0.693359375f - n * -2.12194440e-4f;
	p = 1.9875691500e-4f;
	p = p * r + 1.3981999507e-3f;
	p = p * r + 8.3334519073e-3f;
	p = p * r + 4.1665795894e-2f;
	p = p * r + 1.6666665459e-1f;
	p = p * r + 5.0000001201e-1f;
	p = p * r * r + r + 1.0f;
	bits = ((int32_t)n + 127) << 23;
	memcpy(&n, &bits, sizeof(n));
	return p * n;
}

static inline __attribute__((always_inline)) float ep_sigmoid(float x)
{
	return 1.0f / (1.0f + ep_exp(-x));
}

static inline __attribute__((always_inline)) float ep_tanh(float x)
{
	/* 1 - 2 / (e^2x + 1) loses digits near 0; the loss is within the tolerance of the tests, 1e-5 */
	return 1.0f - 2.0f / (ep_exp(2.0f * x) + 1.0f);
}

#endif
