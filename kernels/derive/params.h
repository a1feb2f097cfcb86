/* SPDX-License-Identifier: BSD-3-Clause */
/* Thresholds of the analysis: params.json of a data set, overridden by options. */
#ifndef EVPROF_KERNELS_DERIVE_PARAMS_H
#define EVPROF_KERNELS_DERIVE_PARAMS_H

#include "common/error.h"

/* The statistic that stands for an event's repetitions. The event-analysis paper takes the mean;
 * the arithmetic-intensity paper shows the minimum and the median of 20, for counters that see the
 * whole machine. */
enum ep_combine { EP_COMBINE_MEAN, EP_COMBINE_MEDIAN, EP_COMBINE_MINIMUM, EP_COMBINE_N };
extern const char *const ep_combine_name[EP_COMBINE_N];

struct ep_params {
	/* largest RNMSE over all pairs of repetitions that a usable event may have */
	double tau;
	double alpha; /* an event's coordinates are rounded to multiples of alpha for its score */
	/* largest relative residual of an event that the basis can represent */
	double projection_cut;
	double coefficient_tolerance; /* coefficients this near to an integer are rounded to it */
	enum ep_combine combine;
	char title[128];
	/* where and when the table was measured; empty: not known */
	char cpu[128];
	char cpu_key[64]; /* vendor-family-model */
	char date[16];    /* YYYY-MM-DD */
	char kernel[96];  /* version of the operating system's kernel */
};

/* Defaults for kernels without thresholds of their own: the values for exact counts (FLOPs, branches). */
extern const struct ep_params ep_params_default;

/* Set the members that the JSON object names, and keep the others. They return -EINVAL for values out of range. */
int ep_params_read(struct ep_params *params, const char *path, struct ep_error *err) EP_MUST_CHECK;
int ep_params_parse(struct ep_params *params, const char *path, const char *text,
	struct ep_error *err) EP_MUST_CHECK;
/* Sets a threshold or "combine" by its JSON name, from the text of an option. Returns -ENOENT for an unknown name. */
int ep_params_set(struct ep_params *params, const char *name, const char *value,
	struct ep_error *err) EP_MUST_CHECK;

#endif
