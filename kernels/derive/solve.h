/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics as combinations of the chosen events. K chosen events, D dims, M metrics. */
#ifndef EVPROF_KERNELS_DERIVE_SOLVE_H
#define EVPROF_KERNELS_DERIVE_SOLVE_H

#include "common/error.h"

#include <stddef.h>

struct ep_signature_fit {
	double error;         /* backward error of the least-squares solution, equation 5 */
	double rounded_error; /* the same for the rounded coefficients */
	size_t worst_dim;     /* where the rounded combination is farthest from the signature */
	double worst_difference;
};

struct ep_system {
	size_t n_chosen, n_dims, n_metrics; /* K <= D, D, M */
	const double *x;          /* (K, D) the chosen events' coordinates, of full rank */
	const double *signatures; /* (M, D) */
	double tolerance;         /* distance to a whole number that is rounded away */
};

/* The caller's memory. */
struct ep_solution {
	double *coefficients;          /* (M, K) */
	double *rounded;               /* (M, K) */
	struct ep_signature_fit *fits; /* (M) */
};

/* Fills out's arrays. -ENOMEM; -EINVAL: the events are not independent. */
int ep_solve(const struct ep_system *system, const struct ep_solution *out,
	struct ep_error *err) EP_MUST_CHECK;

#endif
