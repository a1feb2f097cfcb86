/* SPDX-License-Identifier: BSD-3-Clause */
/* The specialised column-pivoted QR that picks independent, simple events. K candidates, D dims. */
#ifndef EVPROF_KERNELS_DERIVE_QRCP_H
#define EVPROF_KERNELS_DERIVE_QRCP_H

#include "common/error.h"

#include <stddef.h>

struct ep_pivot {
	size_t candidate;
	double score; /* of the rounded coordinates as they came */
	double norm;  /* of the part orthogonal to the earlier pivots */
};

/* Algorithm 2 of the event-analysis paper, reading "original": the score of column u is the sum
 * over its rounded elements of r >= 1 ? r : 1/r, taken once; a candidate whose norm orthogonal to
 * the pivots falls below alpha sqrt(D) is out. Smallest score wins, then smallest norm (both within
 * 1e-9), then the lowest index.
 * x (K, D); out_pivots has room for D. -ENOMEM. */
int ep_qrcp(const double *x, size_t n_candidates, size_t n_dims, double alpha,
	struct ep_pivot *out_pivots, size_t *out_n_pivots) EP_MUST_CHECK;
/* The score of one column (D). */
double ep_qrcp_score(const double *x, size_t n_dims, double alpha);

#endif
