/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Similar slices: an event's unmeasured slice is judged by the slices where it was measured
 * ("donors"), weighted by how alike they are: in the always-on rates of the slice and its
 * neighbours, in time, and in what the other groups measured there.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_SIMILARITY_H
#define EVPROF_REPORTER_ESTIMATE_SIMILARITY_H

#include "reporter/estimate/cell_features.h"

struct ep_similarity {
	float context, time, others; /* the cost of a unit of each squared distance */
};
extern const struct ep_similarity ep_kernels[EP_N_KERNELS];

/* out (n): x with mean 0 and deviation 1, to which least is added first. */
void ep_standardize(const double *x, size_t n, double least, float *out);

struct ep_distances {
	size_t n_slices;
	float *context; /* (T, T) */
	float *others;  /* (T, T) */
	float *time;    /* (T) by |t - d| */
};
/* z: (E, T), each event's log series with mean 0 and deviation 1, gaps interpolated. */
int ep_distances_init(struct ep_distances *out, const struct ep_grid *grid, const float *z);
void ep_distances_finish(struct ep_distances *distances);

/* Statistics of the donors' counts as one kernel weights them; logs are log1p. */
enum {
	EP_K_RELATIVE, /* log of the median weighted by 1 / count: least relative error */
	EP_K_MEAN_LOG,
	EP_K_LOG_MEAN,
	EP_K_LOW, /* 10 %, 50 % and 90 % points of the counts above zero */
	EP_K_MIDDLE,
	EP_K_HIGH,
	EP_K_ZERO, /* share of zeros */
};

/* out: (T, EP_N_KERNELS, EP_N_KERNEL_STATS) at a row stride of n_stride floats; only the rows of
 * wanted cells are written. */
int ep_similarity_stats(const struct ep_grid *grid, const struct ep_distances *distances,
	size_t event, float *out, size_t n_stride);

#endif
