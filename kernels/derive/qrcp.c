// SPDX-License-Identifier: BSD-3-Clause
/*
 * Chooses pivots by modified Gram-Schmidt over the candidates that are left: one pass over them for each of at most D
 * pivots. A candidate is dropped when its norm falls below beta, since the norm never grows again; later passes are
 * shorter.
 */
#include "kernels/derive/qrcp.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

/* relative difference below which values are equal up to rounding noise */
static const double tie_tolerance = 1e-9;

struct candidate {
	size_t idx;
	double score, norm;
};

struct qrcp {
	size_t n_dims;
	size_t n_active;
	struct candidate *active; /* (n_active) candidates that are left, by ascending idx */
	double *rest;             /* (K, D) columns, made orthogonal to the pivots so far */
	double beta;
};

static double column_norm(const double *column, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += column[i] * column[i];
	return sqrt(sum);
}

double ep_qrcp_score(const double *x, size_t n_dims, double alpha)
{
	double score = 0;

	for (size_t i = 0; i < n_dims; i++) {
		double rounded = fabs(alpha * floor(x[i] / alpha + 0.5));

		if (rounded > 0)
			score += rounded >= 1 ? rounded : 1 / rounded;
	}
	return score;
}

static int open_qrcp(struct qrcp *qrcp, const double *x, size_t n_candidates, double alpha)
{
	size_t n_dims = qrcp->n_dims, n_values = n_candidates * n_dims;

	qrcp->active = malloc((n_candidates + 1) * sizeof(*qrcp->active));
	qrcp->rest = malloc((n_values + 1) * sizeof(*qrcp->rest));
	if (!qrcp->active || !qrcp->rest)
		return -ENOMEM;
	if (n_candidates)
		memcpy(qrcp->rest, x, n_values * sizeof(*x));
	for (size_t i = 0; i < n_candidates; i++) {
		double norm = column_norm(x + i * n_dims, n_dims);

		if (norm >= qrcp->beta)
			qrcp->active[qrcp->n_active++] = (struct candidate){ i,
				ep_qrcp_score(x + i * n_dims, n_dims, alpha), norm };
	}
	return 0;
}

static void close_qrcp(struct qrcp *qrcp)
{
	free(qrcp->active);
	free(qrcp->rest);
}

static const struct candidate *pick_best(const struct qrcp *qrcp)
{
	const struct candidate *end = qrcp->active + qrcp->n_active, *c;
	double score = INFINITY, norm = INFINITY;

	for (c = qrcp->active; c < end; c++)
		score = fmin(score, c->score);
	score *= 1 + tie_tolerance;
	for (c = qrcp->active; c < end; c++)
		if (c->score <= score)
			norm = fmin(norm, c->norm);
	norm *= 1 + tie_tolerance;
	for (c = qrcp->active; c < end; c++)
		if (c->score <= score && c->norm <= norm)
			return c;
	return NULL;
}

static double remove_direction(double *column, const double *direction, size_t n)
{
	double dot = 0;

	for (size_t i = 0; i < n; i++)
		dot += column[i] * direction[i];
	for (size_t i = 0; i < n; i++)
		column[i] -= dot * direction[i];
	return column_norm(column, n);
}

/* Makes every other candidate orthogonal to the pivot, and drops the candidates whose norm is then below beta. */
static void remove_pivot(struct qrcp *qrcp, const struct candidate *pivot, double *direction)
{
	size_t n_dims = qrcp->n_dims, n_left = 0, pivot_idx = pivot->idx;

	for (size_t i = 0; i < n_dims; i++)
		direction[i] = qrcp->rest[pivot_idx * n_dims + i] / pivot->norm;
	for (size_t i = 0; i < qrcp->n_active; i++) {
		struct candidate c = qrcp->active[i];

		if (c.idx == pivot_idx)
			continue;
		c.norm = remove_direction(qrcp->rest + c.idx * n_dims, direction, n_dims);
		if (c.norm >= qrcp->beta)
			qrcp->active[n_left++] = c;
	}
	qrcp->n_active = n_left;
}

int ep_qrcp(const double *x, size_t n_candidates, size_t n_dims, double alpha,
	struct ep_pivot *out_pivots, size_t *out_n_pivots)
{
	__attribute__((cleanup(close_qrcp))) struct qrcp qrcp = {
		.n_dims = n_dims,
		.beta = alpha * sqrt((double)n_dims),
	};
	EP_AUTOFREE double *direction = malloc((n_dims + 1) * sizeof(*direction));
	size_t n_pivots = 0;
	int rc = direction ? open_qrcp(&qrcp, x, n_candidates, alpha) : -ENOMEM;

	if (rc)
		return rc;
	while (qrcp.n_active && n_pivots < n_dims) {
		const struct candidate *best = pick_best(&qrcp);

		out_pivots[n_pivots++] = (struct ep_pivot){ best->idx, best->score, best->norm };
		remove_pivot(&qrcp, best, direction);
	}
	*out_n_pivots = n_pivots;
	return 0;
}
