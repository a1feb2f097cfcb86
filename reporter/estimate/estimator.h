/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface of an estimator, which fills a grid. Each has a row in estimators.c, and a file of its own, but
 * for the interpolations, which share interpolate.c. */
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

/* The answers of an estimator: (E, T) rates each. value: the estimate with the least expected relative error;
 * mean: the expected count, whose sums are unbiased; spread: above zero, larger where the error is expected
 * to be larger. Only wanted cells need answers; rows of always-on events and of events without a sample are
 * not written. */
struct ep_estimate {
	double *value, *mean, *spread;
};

struct ep_estimator {
	const char *name, *summary;
	int (*fill)(const struct ep_fill_task *task, struct ep_estimate *out); /* 0 or -ENOMEM */
	int needs_features;
	int needs_series;    /* it needs the features of all gaps, not of wanted cells only */
	double most_cells;   /* auto does not use it for series with more cells */
	double handicap;     /* auto multiplies its hold-out error by this factor */
	double prior_slices; /* its own spread counts as much as this many hidden slices */
	int is_network;      /* it was trained on programs, which start with bursts */
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

/* Allocates the rows. They are zero for events without a sample, which estimators do not write; of other rows
 * only wanted cells get valid values, and rows of always-on events none. */
int ep_estimate_init_rows(struct ep_estimate *out, const struct ep_grid *grid);
void ep_estimate_finish(struct ep_estimate *estimate);

#endif
