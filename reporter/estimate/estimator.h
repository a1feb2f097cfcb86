/* SPDX-License-Identifier: BSD-3-Clause */
/* One estimator: how it fills a grid. A file each, and a row in estimators.c. */
#ifndef EVPROF_REPORTER_ESTIMATE_ESTIMATOR_H
#define EVPROF_REPORTER_ESTIMATE_ESTIMATOR_H

#include "reporter/estimate/grid.h"

struct ep_features;
struct ep_models;

/* The input of an estimator. features and models are NULL unless it needs features. */
struct ep_fill_task {
	const struct ep_grid *grid;
	const struct ep_features *features;
	const struct ep_models *models;
};

/* (E, T) each, rates. value: the estimate with the least expected relative error; mean: the
 * expected count, which sums well; spread: above zero, grows with the error that is to be expected.
 * Only wanted cells need answers; rows of always-on events and of
 * events without a sample are not touched. */
struct ep_estimate {
	double *value, *mean, *spread;
};

struct ep_estimator {
	const char *name, *summary;
	int (*fill)(const struct ep_fill_task *task, struct ep_estimate *out); /* 0 or -ENOMEM */
	int needs_features;
	int needs_series;    /* looks at the features of all gaps, not of wanted cells only */
	double most_cells;   /* auto leaves it out of longer series */
	double handicap;     /* auto multiplies the hold-out error by it */
	double prior_slices; /* how many hidden slices its own spread weighs up to */
	int is_network;      /* has learned from programs, and that they start in bursts */
	int gap_is_one;      /* errors between two samples go one way, and add up */
};

/* Every estimator but auto; ends with a NULL name. */
extern const struct ep_estimator ep_estimators[];

int ep_fill_fixed(const struct ep_fill_task *task, struct ep_estimate *out);
int ep_fill_linear(const struct ep_fill_task *task, struct ep_estimate *out);
int ep_fill_pchip(const struct ep_fill_task *task, struct ep_estimate *out);
int ep_fill_kernel(const struct ep_fill_task *task, struct ep_estimate *out);
int ep_fill_mlp(const struct ep_fill_task *task, struct ep_estimate *out);
int ep_fill_gru(const struct ep_fill_task *task, struct ep_estimate *out);

/* Zero in the rows of events without a sample, which estimators do not touch; of the others only
 * what is wanted will be good, of always-on events nothing. */
int ep_estimate_init_rows(struct ep_estimate *out, const struct ep_grid *grid);
void ep_estimate_finish(struct ep_estimate *estimate);

#endif
