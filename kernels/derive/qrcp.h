/* SPDX-License-Identifier: BSD-3-Clause */
/* A specialised column-pivoted QR that picks independent and simple events from K candidates with D coordinates
 * each. */
#ifndef EVPROF_KERNELS_DERIVE_QRCP_H
#define EVPROF_KERNELS_DERIVE_QRCP_H

#include "common/error.h"

#include <stddef.h>

struct ep_pivot {
	size_t candidate;
	double score; /* score of the original coordinates after rounding */
	double norm;  /* norm of the part that is orthogonal to the earlier pivots */
};

/* Picks events by algorithm 2 of the event-analysis paper. The score of column u is computed once, from the original
 * column: the sum over its rounded elements of r >= 1 ? r : 1/r. A candidate is dropped when its norm orthogonal to the
 * pivots falls below alpha sqrt(D). The smallest score wins, then the smallest norm (both within 1e-9), then the lowest
 * index. x (K, D); out_pivots must have room for D. Returns 0 or -ENOMEM. */
int ep_qrcp(const double *x, size_t n_candidates, size_t n_dims, double alpha,
	struct ep_pivot *out_pivots, size_t *out_n_pivots) EP_MUST_CHECK;
/* Returns the score of one column (D). */
double ep_qrcp_score(const double *x, size_t n_dims, double alpha);

#endif
