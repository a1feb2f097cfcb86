/* SPDX-License-Identifier: BSD-3-Clause */
/* Least-squares projection of measurement vectors on the expectation basis. The basis has P points and D dims
 * (expectations). */
#ifndef EVPROF_KERNELS_DERIVE_PROJECT_H
#define EVPROF_KERNELS_DERIVE_PROJECT_H

#include "kernels/derive/labelled.h"

struct ep_projector {
	size_t n_points, n_dims;
	const double *basis; /* (P, D) the caller's basis */
	double *pinv;        /* (D, P) pseudo-inverse: x = pinv m */
};

/* Initializes a projector; basis must outlive the projector. Returns -EINVAL, with the name of a dependent expectation,
 * if the columns of the basis are not independent. */
int ep_projector_init(struct ep_projector *projector, const struct ep_labelled *basis,
	struct ep_error *err) EP_MUST_CHECK;
/* Projects B vectors of P values on the basis E. For each vector m, sets the coordinates x in out_x (B, D), and
 * out_residual[b] = |E x - m| / |m|. vectors is overwritten with m - E x. No vector may be zero. */
void ep_projector_apply(const struct ep_projector *projector, size_t n_vectors, double *vectors,
	double *out_x, double *out_residual);
void ep_projector_finish(struct ep_projector *projector);

#endif
