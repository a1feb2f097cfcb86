/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface of an estimator, which fills a grid. Each estimator has a row in estimators.c. The functions
 * of the interpolations are in interpolate.c, that of the kernel in similarity.c, those of the networks in
 * networks.c. */
#ifndef EVPROF_REPORTER_ESTIMATE_ESTIMATOR_H
#define EVPROF_REPORTER_ESTIMATE_ESTIMATOR_H

#include "reporter/estimate/grid.h"

struct ep_features;
struct ep_models;

/* The input of an estimator. features and models may be empty for estimators without needs_features. */
struct ep_fill_task {
	const struct ep_grid *grid;
	const struct ep_features *features;
	const struct ep_models *models;
};

/* The answers of an estimator: (E, T) rates each. value: the estimate with the least expected relative error;
 * mean: the expected count, whose sums are unbiased; spread: above zero, and larger for a larger expected
 * error. Only wanted cells need answers; rows of always-on events and of events without a sample are not
 * written. */
struct ep_estimate {
	double *value, *mean, *spread;
};

struct ep_estimator {
	const char *name, *summary;
	int (*fill)(const struct ep_fill_task *task, struct ep_estimate *out); /* 0 or -ENOMEM */
	int needs_features;
	int needs_series;    /* needs the features of all gaps, not of wanted cells only */
	double most_cells;   /* auto does not use the estimator for series with more cells */
	double handicap;     /* auto multiplies the estimator's hold-out error by this factor */
	double prior_slices; /* weight of its own spread, as a number of hidden slices */
	int is_network;      /* trained on programs, which start with bursts */
	/* errors between two samples have the same sign, so that they add up */
	int gap_is_one;
};

/* All estimators except auto; the last row has a NULL name. */
extern const struct ep_estimator ep_estimators[];

int ep_fill_fixed(const struct ep_fill_task *task, struct ep_estimate *out);
int ep_fill_linear(const struct ep_fill_task *task, struct ep_estimate *out);
int ep_fill_pchip(const struct ep_fill_task *task, struct ep_estimate *out);
int ep_fill_kernel(const struct ep_fill_task *task, struct ep_estimate *out);
int ep_fill_mlp(const struct ep_fill_task *task, struct ep_estimate *out);
int ep_fill_gru(const struct ep_fill_task *task, struct ep_estimate *out);

/* Allocates the rows. Rows of events without a sample are zero, since estimators do not write them. In other
 * rows only wanted cells get valid values; rows of always-on events get none. */
int ep_estimate_init_rows(struct ep_estimate *out, const struct ep_grid *grid);
void ep_estimate_finish(struct ep_estimate *estimate);

#endif
