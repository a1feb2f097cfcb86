// SPDX-License-Identifier: BSD-3-Clause
/*
 * Computes DTW along the anti-diagonals of the cost matrix. The cells of a diagonal depend on the two
 * diagonals before but not on each other, so that the loop can be vectorized; in row order each cell would
 * depend on its left neighbour.
 */
#include "reporter/estimate/dtw.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "reporter/estimate/fast_math.h"

struct range {
	long begin, end; /* rows i of a diagonal; end is not included */
};

/* Returns the rows of diagonal d (i + j == d) that are inside the matrix and the band. */
static struct range rows_of(long d, long n, long m, long band)
{
	struct range r = { d < m ? 0 : d - m + 1, d < n ? d + 1 : n };
	/* the band is |2 i - d| <= band */
	long low = (d - band + 1) / 2, high = (d + band) / 2 + 1;

	if (d - band < 0)
		low = 0;
	r.begin = r.begin > low ? r.begin : low;
	r.end = r.end < high ? r.end : high;
	return r;
}

/* Computes one diagonal: here[i] from before[i - 1], before[i] and twice_before[i - 1]. b_reversed points to
 * the element that belongs to row 0. */
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
	double *row[3]; /* each (n + 2), shifted by one so that row[-1] exists */
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
		/* here holds a diagonal of three steps ago; its values must not be read as neighbours */
		for (long i = r.begin - 2; i < r.begin; i++)
			if (i >= -1)
				here[i] = INFINITY;
		for (long i = r.end; i < r.end + 2 && i <= (long)n; i++)
			here[i] = INFINITY;
		/* row i uses b[d - i], which is backwards[m - 1 - d + i] */
		step(a, backwards + ((long)m - 1 - d), before, twice, here, r.begin, r.end);
	}
	return row[(n_diagonals - 1) % 3][n - 1];
}

/* ---- the warping path ---- */

enum move { CORNER, UP, LEFT };

/* The cells that a path may visit: row i has columns begin_of(i) to begin_of(i) + width - 1, as far as they
 * lie in 0 to m - 1. k: numbers per step of each series. */
struct path {
	const double *a, *b;
	size_t n, m, k;
	size_t reach, width;   /* columns on each side of the centre; width = 2 reach + 1 */
	unsigned char *steps;  /* (n, width) enum move: from which cell each cell was reached */
	double *before, *here; /* (width) costs of the previous and of the current row */
};

#define MOST_CELLS ((size_t)1 << 28)

static long begin_of(const struct path *p, size_t i)
{
	size_t centre = p->n > 1 ? i * (p->m - 1) / (p->n - 1) : 0;

	return (long)centre - (long)p->reach;
}

static void path_finish(struct path *p)
{
	free(p->steps);
	free(p->before);
	free(p->here);
}

static int path_init(struct path *p, size_t band)
{
	size_t least = p->m / p->n + 1, most = MOST_CELLS / 2 / p->n;

	p->reach = band ? band : p->m;
	p->reach = p->reach < most ? p->reach : most;
	p->reach = p->reach > least ? p->reach : least;
	p->width = 2 * p->reach + 1;
	p->steps = malloc(p->n * p->width);
	p->before = malloc(p->width * sizeof(*p->before));
	p->here = malloc(p->width * sizeof(*p->here));
	return p->steps && p->before && p->here ? 0 : -ENOMEM;
}

static double distance(const struct path *p, size_t i, size_t j)
{
	double sum = 0;

	for (size_t k = 0; k < p->k; k++)
		sum += fabs(p->a[i * p->k + k] - p->b[j * p->k + k]);
	return sum;
}

/* Returns the cost of column j in a row of costs that begins at column begin; infinite outside of the row. */
static double cost_at(const struct path *p, const double *row, long begin, long j)
{
	return j < begin || j >= begin + (long)p->width ? INFINITY : row[j - begin];
}

static void put_cell(struct path *p, size_t i, long j)
{
	long begin = begin_of(p, i), begin_before = i ? begin_of(p, i - 1) : 0;
	double corner = i ? cost_at(p, p->before, begin_before, j - 1) : INFINITY;
	double up = i ? cost_at(p, p->before, begin_before, j) : INFINITY;
	double left = cost_at(p, p->here, begin, j - 1), least = corner;
	enum move move = CORNER;

	if (up < least) {
		least = up;
		move = UP;
	}
	if (left < least) {
		least = left;
		move = LEFT;
	}
	if (!i && !j)
		least = 0;
	p->here[j - begin] = least + distance(p, i, (size_t)j);
	p->steps[i * p->width + (size_t)(j - begin)] = (unsigned char)move;
}

static void put_rows(struct path *p)
{
	for (size_t i = 0; i < p->n; i++) {
		long begin = begin_of(p, i), end = begin + (long)p->width;
		double *kept = p->before;

		p->before = p->here;
		p->here = kept;
		for (size_t w = 0; w < p->width; w++)
			p->here[w] = INFINITY;
		end = end < (long)p->m ? end : (long)p->m;
		for (long j = begin > 0 ? begin : 0; j < end; j++)
			put_cell(p, i, j);
	}
}

static void walk_back(const struct path *p, struct ep_dtw_match *match)
{
	size_t i = p->n - 1, j = p->m - 1;

	match->last[i] = match->first[i] = (uint32_t)j;
	while (i || j) {
		enum move move = p->steps[i * p->width + (size_t)((long)j - begin_of(p, i))];

		j -= move != UP;
		if (move != LEFT)
			match->last[--i] = (uint32_t)j;
		match->first[i] = (uint32_t)j;
	}
}

void ep_dtw_match_finish(struct ep_dtw_match *match)
{
	free(match->first);
	free(match->last);
	*match = (struct ep_dtw_match){ 0 };
}

int ep_dtw_match(const double *a, size_t n, const double *b, size_t m, size_t k, size_t band,
	struct ep_dtw_match *out_match)
{
	__attribute__((cleanup(path_finish))) struct path path = { a, b, n, m, k };
	struct ep_dtw_match match = { n, malloc(n * sizeof(uint32_t)),
		malloc(n * sizeof(uint32_t)) };

	if (path_init(&path, band) || !match.first || !match.last) {
		ep_dtw_match_finish(&match);
		return -ENOMEM;
	}
	put_rows(&path);
	walk_back(&path, &match);
	*out_match = match;
	return 0;
}
