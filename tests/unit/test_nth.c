// SPDX-License-Identifier: BSD-3-Clause
/* The k-th smallest is what sorting puts at k. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/estimate/nth.h"

enum { N = 200 };

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double rising(size_t i)
{
	return (double)i;
}

static double falling(size_t i)
{
	return -(double)i;
}

static double equal(size_t i)
{
	return 3;
}

static double two_values(size_t i)
{
	return i % 3 == 0;
}

static double organ_pipe(size_t i)
{
	return i < N / 2 ? (double)i : (double)(N - i);
}

static double mixed(size_t i)
{
	return (double)(i * 7919 % 211) - 100;
}

TEST(as_sorting_would_have_it)
{
	static double (*const fillings[])(
		size_t) = { rising, falling, equal, two_values, organ_pipe, mixed };
	static const size_t sizes[] = { 1, 2, 3, 4, 7, 64, N };

	for (size_t f = 0; f < EP_ARRAY_SIZE(fillings); f++) {
		for (size_t s = 0; s < EP_ARRAY_SIZE(sizes); s++) {
			double values[N], sorted[N], moved[N];
			size_t n = sizes[s];

			for (size_t i = 0; i < n; i++)
				values[i] = sorted[i] = fillings[f](i);
			qsort(sorted, n, sizeof(*sorted), by_size);
			for (size_t k = 0; k < n; k++) {
				memcpy(moved, values, sizeof(values));
				CHECK_CLOSE(ep_nth_smallest(moved, n, k), sorted[k], 0);
				qsort(moved, n, sizeof(*moved), by_size);
				CHECK(!memcmp(moved, sorted, n * sizeof(*moved)));
			}
		}
	}
}
