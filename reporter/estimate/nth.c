// SPDX-License-Identifier: BSD-3-Clause
/* Hoare's selection: parts around a pivot, of which one is gone on with. */
#include "reporter/estimate/nth.h"

static void swap(double *a, double *b)
{
	double kept = *a;

	*a = *b;
	*b = kept;
}

/* Of the first, the middle and the last: sorted values are the common case, and then the best. */
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

double ep_nth_smallest(double *values, size_t n, size_t k)
{
	size_t low = 0, high = n - 1;

	while (low < high) {
		double pivot = pivot_of(values, low, high);
		size_t i = low, j = high;

		/* up to i all are at most the pivot, from j on at least; both stop at equals, or
		 * many of them would make one part empty */
		while (i <= j) {
			while (values[i] < pivot)
				i++;
			while (values[j] > pivot)
				j--;
			if (i > j)
				break;
			swap(&values[i++], &values[j]);
			if (!j)
				break;
			j--;
		}
		if (k <= j)
			high = j;
		else if (k >= i)
			low = i;
		else
			break;
	}
	return values[k];
}
