// SPDX-License-Identifier: BSD-3-Clause
/*
 * Projects events on the basis. The pseudo-inverse is computed once, and batches of events take two matrix products.
 * The condition number of each of evcal's bases is below 100, so that only normal rounding errors arise.
 */
#include "kernels/derive/project.h"

#include <cblas.h>
#include <errno.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

/* A column is dependent on others if its diagonal entry of the pivoted QR is below this part of the largest
 * one. */
static const double rank_tolerance = 1e-10;

static int check_rank(const struct ep_labelled *basis, struct ep_error *err)
{
	size_t n_points = basis->rows.n, n_dims = basis->columns.n;
	EP_AUTOFREE double *matrix = malloc(n_points * n_dims * sizeof(*matrix));
	EP_AUTOFREE lapack_int *pivot = calloc(n_dims, sizeof(*pivot));
	EP_AUTOFREE double *tau = malloc(n_dims * sizeof(*tau));
	struct ep_place header = { basis->path, 1, 0 };

	if (!matrix || !pivot || !tau)
		return ep_fail(err, -ENOMEM, "out of memory");
	if (n_points < n_dims)
		return ep_fail_at(err, -EINVAL, header,
			"singular basis: %zu expectations need at least as many points, not %zu",
			n_dims, n_points);
	memcpy(matrix, basis->values, n_points * n_dims * sizeof(*matrix));
	if (LAPACKE_dgeqp3(LAPACK_ROW_MAJOR, n_points, n_dims, matrix, n_dims, pivot, tau))
		return ep_fail_at(err, -EINVAL, header, "LAPACK cannot factor the basis");
	for (size_t i = 0; i < n_dims; i++)
		if (fabs(matrix[i * n_dims + i]) <= rank_tolerance * fabs(matrix[0]))
			return ep_fail_at(err, -EINVAL, header,
				"singular basis: expectation \"%s\" is zero or a combination of others",
				basis->columns.items[pivot[i] - 1]);
	return 0;
}

static int solve_pinv(struct ep_projector *projector, double *right, struct ep_error *err)
{
	size_t n_points = projector->n_points, n_dims = projector->n_dims;
	EP_AUTOFREE double *matrix = malloc(n_points * n_dims * sizeof(*matrix));

	if (!matrix)
		return ep_fail(err, -ENOMEM, "out of memory");
	memcpy(matrix, projector->basis, n_points * n_dims * sizeof(*matrix));
	for (size_t i = 0; i < n_points; i++)
		right[i * n_points + i] = 1;
	if (LAPACKE_dgels(LAPACK_ROW_MAJOR, 'N', n_points, n_dims, n_points, matrix, n_dims, right,
		    n_points))
		return ep_fail(err, -EINVAL, "LAPACK cannot invert the basis");
	return 0;
}

int ep_projector_init(
	struct ep_projector *projector, const struct ep_labelled *basis, struct ep_error *err)
{
	EP_AUTOFREE double *right =
		/* (P, P) right-hand sides */
		calloc(basis->rows.n * basis->rows.n, sizeof(*right));
	int rc = check_rank(basis, err);

	*projector = (struct ep_projector){
		.n_points = basis->rows.n,
		.n_dims = basis->columns.n,
		.basis = basis->values,
	};
	if (rc)
		return rc;
	if (!right)
		return ep_fail(err, -ENOMEM, "out of memory");
	rc = solve_pinv(projector, right, err);
	if (!rc) { /* the first D of the P rows hold the solution */
		projector->pinv = right;
		right = NULL;
	}
	return rc;
}

void ep_projector_apply(const struct ep_projector *projector, size_t n_vectors, double *vectors,
	double *out_x, double *out_residual)
{
	int n_points = (int)projector->n_points, n_dims = (int)projector->n_dims;
	int n = (int)n_vectors;

	for (int b = 0; b < n; b++)
		out_residual[b] = cblas_dnrm2(n_points, vectors + (size_t)b * n_points, 1);
	cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n_dims, n_points, 1, vectors,
		n_points, projector->pinv, n_points, 0, out_x, n_dims);
	cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n_points, n_dims, -1, out_x, n_dims,
		projector->basis, n_dims, 1, vectors, n_points);
	for (int b = 0; b < n; b++)
		out_residual[b] =
			cblas_dnrm2(n_points, vectors + (size_t)b * n_points, 1) / out_residual[b];
}

void ep_projector_finish(struct ep_projector *projector)
{
	free(projector->pinv);
	*projector = (struct ep_projector){ 0 };
}
