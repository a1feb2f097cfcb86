// SPDX-License-Identifier: BSD-3-Clause
/* Implements Hoare's selection: divides the values at a pivot, and goes on with the part that holds index k. */
#include "reporter/estimate/nth.h"

static void swap(double *a, double *b)
{
	double kept = *a;

	*a = *b;
	*b = kept;
}

/* Returns the median of the first, the middle and the last value as pivot, which is the best choice for
 * sorted values. */
static double pivot_of(const double *values, size_t low, size_t high)
{
	double a = values[low], b = values[low + (high - low) / 2], c = values[high];

	if (a > b) {
		double kept = a;
		a = b;
		b = kept;
	}
	return c < a ? a : c > b ? b : c;
}

/* Moves the values below the pivot to the front. There is no branch on the values, since the CPU would
 * mispredict it half of the time. */
static size_t part_below(double *values, size_t from, size_t to, double pivot)
{
	size_t n = from;

	for (size_t i = from; i < to; i++) {
		swap(&values[i], &values[n]);
		n += values[n] < pivot;
	}
	return n;
}

static size_t part_equal(double *values, size_t from, size_t to, double pivot)
{
	size_t n = from;

	for (size_t i = from; i < to; i++) {
		swap(&values[i], &values[n]);
		n += values[n] <= pivot;
	}
	return n;
}

double ep_nth_smallest(double *values, size_t n, size_t k)
{
	size_t low = 0, high = n;

	while (high - low > 1) {
		double pivot = pivot_of(values, low, high - 1);
		size_t n_below = part_below(values, low, high, pivot), n_equal;

		if (k < n_below) {
			high = n_below;
			continue;
		}
		if (n_below > low) {
			low = n_below;
			continue;
		}
		n_equal = part_equal(values, low, high, pivot); /* no value is below the pivot */
		if (k < n_equal)
			break;
		low = n_equal;
	}
	return values[k];
}
