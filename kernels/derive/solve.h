/* SPDX-License-Identifier: BSD-3-Clause */
/* Expresses metrics as combinations of the chosen events. There are K chosen events, D dims (expectations) and M
 * metrics. */
#ifndef EVPROF_KERNELS_DERIVE_SOLVE_H
#define EVPROF_KERNELS_DERIVE_SOLVE_H

#include "common/error.h"

#include <stddef.h>

struct ep_signature_fit {
	double error;         /* backward error of the least-squares solution, equation 5 */
	double rounded_error; /* backward error of the rounded coefficients */
	/* the expectation in which the rounded combination differs most from the signature */
	size_t worst_dim;
	double worst_difference;
};

struct ep_system {
	size_t n_chosen, n_dims, n_metrics; /* K <= D, D, M */
	const double *x;          /* (K, D) the chosen events' coordinates, of full rank */
	const double *signatures; /* (M, D) the metrics' signatures */
	double tolerance;         /* coefficients this near to a whole number are rounded to it */
};

/* Arrays for the results, in the caller's memory. */
struct ep_solution {
	double *coefficients;          /* (M, K) least-squares solutions */
	double *rounded;               /* (M, K) coefficients after rounding */
	struct ep_signature_fit *fits; /* (M) error of each metric's fit */
};

/* Fills the arrays of out. Returns -ENOMEM, or -EINVAL if the events are not independent. */
int ep_solve(const struct ep_system *system, const struct ep_solution *out,
	struct ep_error *err) EP_MUST_CHECK;

#endif
