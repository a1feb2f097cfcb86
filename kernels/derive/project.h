/* SPDX-License-Identifier: BSD-3-Clause */
/* Least-squares projection of measurement vectors on the expectation basis. P points, D dims. */
#ifndef EVPROF_KERNELS_DERIVE_PROJECT_H
#define EVPROF_KERNELS_DERIVE_PROJECT_H

#include "kernels/derive/labelled.h"

struct ep_projector {
	size_t n_points, n_dims;
	const double *basis; /* (P, D) the caller's basis */
	double *pinv;        /* (D, P) pseudo-inverse: x = pinv m */
};

/* Initializes a projector; basis must outlive it. -EINVAL, with the name of a dependent expectation, if the
 * columns of the basis are not independent. */
int ep_projector_init(struct ep_projector *projector, const struct ep_labelled *basis,
	struct ep_error *err) EP_MUST_CHECK;
/* Projects vectors (B, P): sets out_x (B, D) and out_residual[b] = |E x - m| / |m|. vectors is overwritten
 * with m - E x. No vector may be zero. */
void ep_projector_apply(const struct ep_projector *projector, size_t n_vectors, double *vectors,
	double *out_x, double *out_residual);
void ep_projector_finish(struct ep_projector *projector);

#endif
