// SPDX-License-Identifier: BSD-3-Clause
/*
 * DTW along the anti-diagonals of the cost matrix: the cells of one depend on the two before it and
 * not on each other, so that the loop vectorizes; row by row each cell waits for its left
 * neighbour.
 */
#include "reporter/estimate/dtw.h"

#include <math.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "reporter/estimate/fast_math.h"

struct range {
	long begin, end; /* rows i of a diagonal, end not included */
};

/* Rows of diagonal d (i + j == d) inside the matrix and the band. */
static struct range rows_of(long d, long n, long m, long band)
{
	struct range r = { d < m ? 0 : d - m + 1, d < n ? d + 1 : n };
	/* |2 i - d| <= band */
	long low = (d - band + 1) / 2, high = (d + band) / 2 + 1;

	if (d - band < 0)
		low = 0;
	r.begin = r.begin > low ? r.begin : low;
	r.end = r.end < high ? r.end : high;
	return r;
}

/* One diagonal: here[i] from before[i - 1], before[i] and twice_before[i - 1]. b_reversed points
 * at the element that row 0 would meet. */
static EP_HOT void step(const double *restrict a, const double *restrict b_reversed,
	const double *restrict before, const double *restrict twice_before, double *restrict here,
	long begin, long end)
{
	for (long i = begin; i < end; i++) {
		double up = before[i - 1], left = before[i], corner = twice_before[i - 1];
		double least = up < left ? up : left;
		least = corner < least ? corner : least;
		here[i] = fabs(a[i] - b_reversed[i]) + least;
	}
}

static double *reversed(const double *b, size_t m)
{
	double *out = malloc(m * sizeof(*out));

	for (size_t j = 0; out && j < m; j++)
		out[j] = b[m - 1 - j];
	return out;
}

double ep_dtw_cost(const double *a, size_t n, const double *b, size_t m, size_t band)
{
	EP_AUTOFREE double *backwards = reversed(b, m);
	EP_AUTOFREE double *memory = malloc(3 * (n + 2) * sizeof(*memory));
	double *row[3]; /* each (n + 2), shifted by one so that row[-1] is there */
	long gap = labs((long)n - (long)m), n_diagonals = (long)(n + m - 1);
	long width = band ? ((long)band > gap ? (long)band : gap) : (long)(n + m);

	if (!backwards || !memory)
		return NAN;
	for (size_t i = 0; i < 3 * (n + 2); i++)
		memory[i] = INFINITY;
	for (int k = 0; k < 3; k++)
		row[k] = memory + k * (n + 2) + 1;
	row[0][0] = fabs(a[0] - b[0]);
	for (long d = 1; d < n_diagonals; d++) {
		double *here = row[d % 3], *before = row[(d + 2) % 3], *twice = row[(d + 1) % 3];
		struct range r = rows_of(d, (long)n, (long)m, width);
		/* what the row held three diagonals ago must not be taken for a neighbour */
		for (long i = r.begin - 2; i < r.begin; i++)
			if (i >= -1)
				here[i] = INFINITY;
		for (long i = r.end; i < r.end + 2 && i <= (long)n; i++)
			here[i] = INFINITY;
		/* row i meets b[d - i], which is backwards[m - 1 - d + i] */
		step(a, backwards + ((long)m - 1 - d), before, twice, here, r.begin, r.end);
	}
	return row[(n_diagonals - 1) % 3][n - 1];
}
