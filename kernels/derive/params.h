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
	double tau;            /* max RNMSE over all pairs of repetitions that an event may show */
	double alpha;          /* R(u) rounds to multiples of alpha; 1/alpha an integer */
	double projection_cut; /* relative residual above which an event is unrepresentable */
	double coefficient_tolerance; /* distance from an integer that is rounded away */
	enum ep_combine combine;
	char title[128];
	/* where and when the table was measured; empty when it does not say */
	char cpu[128];
	char cpu_key[64]; /* vendor-family-model */
	char date[16];    /* YYYY-MM-DD */
	char kernel[96];  /* the operating system's */
};

/* For kernels without thresholds of their own: the values of exact counts (FLOPs, branches). */
extern const struct ep_params ep_params_default;

/* Sets what the JSON object names, leaves the rest. -EINVAL for values out of range. */
int ep_params_read(struct ep_params *params, const char *path, struct ep_error *err) EP_MUST_CHECK;
int ep_params_parse(struct ep_params *params, const char *path, const char *text,
	struct ep_error *err) EP_MUST_CHECK;
/* Sets a threshold or "combine" by its JSON name from text, as options do. -ENOENT for an unknown
 * name. */
int ep_params_set(struct ep_params *params, const char *name, const char *value,
	struct ep_error *err) EP_MUST_CHECK;

#endif
