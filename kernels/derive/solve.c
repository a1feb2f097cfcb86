// SPDX-License-Identifier: BSD-3-Clause
/* Solves least squares by LAPACK, computes backward errors and rounds coefficients. */
#include "kernels/derive/solve.h"

#include <errno.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

struct solver {
	const double *x; /* (K, D) coordinates of the chosen events */
	size_t n_chosen, n_dims;
	double spectral_norm; /* the largest singular value of x */
};

static double vector_norm(const double *v, size_t n, int exponent)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		double part = ldexp(v[i], -exponent);

		sum += part * part;
	}
	return sqrt(sum);
}

static int spectral_norm(const double *x, size_t n_rows, size_t n_columns, double *out_norm)
{
	EP_AUTOFREE double *copy = malloc(n_rows * n_columns * sizeof(*copy));
	EP_AUTOFREE double *singular = malloc(n_rows * sizeof(*singular));
	EP_AUTOFREE double *work = malloc(n_rows * sizeof(*work));

	if (!copy || !singular || !work)
		return -ENOMEM;
	memcpy(copy, x, n_rows * n_columns * sizeof(*copy));
	if (LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', n_rows, n_columns, copy, n_columns, singular,
		    NULL, 1, NULL, 1, work))
		return -EINVAL;
	*out_norm = singular[0];
	return 0;
}

/* Returns the exponent of the power of two by which both vectors are divided before their elements are squared: without
 * the division, squares of very large or small numbers would be infinite or 0. A division by a power of two does not
 * round. */
static int common_exponent(const struct solver *solver, const double *y, const double *signature)
{
	double largest = 0;
	int exponent = 0;

	for (size_t k = 0; k < solver->n_chosen; k++)
		largest = fmax(largest, fabs(y[k]));
	for (size_t d = 0; d < solver->n_dims; d++)
		largest = fmax(largest, fabs(signature[d]));
	frexp(largest, &exponent);
	return exponent;
}

/* Returns the backward error by equation 5 of the event-analysis paper, |X y - s| / (|X|_2 |y| + |s|); 1 where no event
 * was chosen. */
static double backward_error(const struct solver *solver, const double *y, const double *signature,
	struct ep_signature_fit *fit)
{
	int exponent = common_exponent(solver, y, signature);
	double squares = 0, scale;

	fit->worst_difference = 0;
	for (size_t d = 0; d < solver->n_dims; d++) {
		double difference = ldexp(-signature[d], -exponent);

		for (size_t k = 0; k < solver->n_chosen; k++)
			difference += solver->x[k * solver->n_dims + d] * ldexp(y[k], -exponent);
		squares += difference * difference;
		if (fabs(difference) > fabs(fit->worst_difference)) {
			fit->worst_difference = difference;
			fit->worst_dim = d;
		}
	}
	fit->worst_difference = ldexp(fit->worst_difference, exponent);
	scale = solver->spectral_norm * vector_norm(y, solver->n_chosen, exponent) +
		vector_norm(signature, solver->n_dims, exponent);
	return scale > 0 ? sqrt(squares) / scale : 1;
}

static void round_coefficients(const double *y, size_t n, double tolerance, double *out)
{
	for (size_t k = 0; k < n; k++) {
		double nearest = nearbyint(y[k]);

		out[k] = fabs(y[k] - nearest) <= tolerance ? nearest + 0.0 : y[k];
	}
}

/* Solves least squares: right (D, M) holds the signatures, and afterwards the solutions in its first K
 * rows. */
static int least_squares(
	const struct solver *solver, double *right, size_t n_metrics, struct ep_error *err)
{
	size_t n_chosen = solver->n_chosen, n_dims = solver->n_dims;
	/* (D, K) transpose of x */
	EP_AUTOFREE double *matrix = malloc(n_chosen * n_dims * sizeof(*matrix));

	if (!matrix)
		return ep_fail(err, -ENOMEM, "out of memory");
	for (size_t k = 0; k < n_chosen; k++)
		for (size_t d = 0; d < n_dims; d++)
			matrix[d * n_chosen + k] = solver->x[k * n_dims + d];
	if (LAPACKE_dgels(LAPACK_ROW_MAJOR, 'N', n_dims, n_chosen, n_metrics, matrix, n_chosen,
		    right, n_metrics))
		return ep_fail(err, -EINVAL, "the chosen events are not independent");
	return 0;
}

static int solve_all(struct solver *solver, const struct ep_system *system,
	double *out_coefficients, struct ep_error *err)
{
	size_t n_metrics = system->n_metrics;
	EP_AUTOFREE double *right =
		/* (D, M) transpose of the signatures */
		malloc(solver->n_dims * n_metrics * sizeof(*right));

	if (!right ||
		spectral_norm(solver->x, solver->n_chosen, solver->n_dims, &solver->spectral_norm))
		return ep_fail(err, -ENOMEM, "out of memory");
	for (size_t m = 0; m < n_metrics; m++)
		for (size_t d = 0; d < solver->n_dims; d++)
			right[d * n_metrics + m] = system->signatures[m * solver->n_dims + d];
	int rc = least_squares(solver, right, n_metrics, err);
	for (size_t m = 0; !rc && m < n_metrics; m++)
		for (size_t k = 0; k < solver->n_chosen; k++)
			out_coefficients[m * solver->n_chosen + k] = right[k * n_metrics + m];
	return rc;
}

int ep_solve(const struct ep_system *system, const struct ep_solution *out, struct ep_error *err)
{
	struct solver solver = { system->x, system->n_chosen, system->n_dims, 0 };
	int rc = solver.n_chosen ? solve_all(&solver, system, out->coefficients, err) : 0;

	if (rc)
		return rc;
	for (size_t m = 0; m < system->n_metrics; m++) {
		const double *y = out->coefficients + m * solver.n_chosen;
		const double *signature = system->signatures + m * solver.n_dims;
		double *rounded = out->rounded + m * solver.n_chosen;
		struct ep_signature_fit *fit = &out->fits[m];

		fit->error = backward_error(&solver, y, signature, fit);
		round_coefficients(y, solver.n_chosen, system->tolerance, rounded);
		fit->rounded_error = backward_error(&solver, rounded, signature, fit);
	}
	return 0;
}
