/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics as combinations of the chosen events. K chosen events, D dims, M metrics. */
#ifndef EVPROF_KERNELS_DERIVE_SOLVE_H
#define EVPROF_KERNELS_DERIVE_SOLVE_H

#include "common/error.h"

#include <stddef.h>

struct ep_fit {
	double error;         /* backward error of the least-squares solution, equation 5 */
	double rounded_error; /* the same for the rounded coefficients */
	size_t worst_dim;     /* where the rounded combination is farthest from the signature */
	double worst_difference;
};

/* x (K, D) chosen events' coordinates, signatures (M, D) -> coefficients (M, K), rounded (M, K;
 * 0 where nothing is left), fits (M). x must have full rank, K <= D. */
int ep_solve(const double *x, size_t n_chosen, size_t n_dims, const double *signatures,
	size_t n_metrics, double tolerance, double *out_coefficients, double *out_rounded,
	struct ep_fit *out_fits, struct ep_error *err) EP_MUST_CHECK;

#endif
