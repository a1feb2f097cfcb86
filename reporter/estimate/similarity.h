/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Estimates a gap from similar slices: from the slices that measured the event ("donors"), weighted by how
 * similar they are to the slice with the gap in three things: the rates of always-on events in the slice and
 * its neighbours, the time, and the events that other groups measured.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_SIMILARITY_H
#define EVPROF_REPORTER_ESTIMATE_SIMILARITY_H

#include "reporter/estimate/cell_features.h"

struct ep_similarity {
	float context, time, others; /* cost of a unit of each distance of struct ep_distances */
};
extern const struct ep_similarity ep_kernels[EP_N_KERNELS];

/* Writes x with mean 0 and deviation 1 to out (n); least is added to the deviation before dividing. */
void ep_standardize(const double *x, size_t n, double least, float *out);

struct ep_distances {
	size_t n_slices;
	float *context; /* (T, T) of slices t and d, by the rates of always-on events */
	float *others;  /* (T, T) of slices t and d, by the other events */
	float *time;    /* (T) in time, by |t - d|; grows with its logarithm */
};
/* Computes the distances. z: (E, T), the log series of each event with mean 0 and deviation 1, gaps
 * interpolated. */
int ep_distances_init(struct ep_distances *out, const struct ep_grid *grid, const float *z);
void ep_distances_finish(struct ep_distances *distances);

/* Statistics of the donors' counts, weighted by one kernel; logs are log1p. */
enum {
	/* log of the median weighted by 1 / count, which has the least relative error */
	EP_K_RELATIVE,
	EP_K_MEAN_LOG,
	EP_K_LOG_MEAN,
	EP_K_LOW, /* 10 %, 50 % and 90 % points of the counts above zero */
	EP_K_MIDDLE,
	EP_K_HIGH,
	EP_K_ZERO, /* share of donors with a count of 0 */
};

/* Writes statistics, out: (T, EP_N_KERNELS, EP_N_KERNEL_STATS) with rows n_stride floats apart; only rows of
 * wanted cells are written. */
int ep_similarity_stats(const struct ep_grid *grid, const struct ep_distances *distances,
	size_t event, float *out, size_t n_stride);

#endif
