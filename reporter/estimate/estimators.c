// SPDX-License-Identifier: BSD-3-Clause
/* The table of estimators. */
#include "reporter/estimate/estimator.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/estimate/estimate.h"

/*
 * docs/estimators.md explains the handicaps and prior slices. In a hold-out of a hundred slices, gaps are
 * twice as long as in reality, so that the errors found are too large. The networks' intervals are right
 * without the hold-out, so that it gets little weight for them.
 */
#define INTERPOLATION .most_cells = INFINITY, .handicap = 4, .prior_slices = 40, .gap_is_one = 1

/* Limits of the series' size. At the first limit filling takes half a minute. At the second the hold-out of a
 * recurrent network, which needs the features of all gaps, takes as long as is acceptable. bench_estimate
 * measures the two times. */
#define MOST_FEATURE_CELLS 3e6
#define MOST_SERIES_CELLS 2e4

const struct ep_estimator ep_estimators[] = {
	{ .name = "fixed",
		.summary = "holds the last sample (PAPI's multiplexing)",
		.fill = ep_fill_fixed,
		INTERPOLATION },
	{ .name = "linear",
		.summary = "straight lines between samples (trapezoid)",
		.fill = ep_fill_linear,
		INTERPOLATION },
	{ .name = "nonlinear",
		.summary = "shape-preserving cubics between samples",
		.fill = ep_fill_pchip,
		INTERPOLATION },
	{ .name = "kernel",
		.summary = "similar slices: always-on rates, time, the other groups' events",
		.fill = ep_fill_kernel,
		.needs_features = 1,
		.most_cells = MOST_FEATURE_CELLS,
		.handicap = 4,
		.prior_slices = 40,
		.gap_is_one = 1 },
	{ .name = "mlp",
		.summary = "perceptron over a cell's features",
		.fill = ep_fill_mlp,
		.is_network = 1,
		.needs_features = 1,
		.most_cells = MOST_FEATURE_CELLS,
		.handicap = 1,
		.prior_slices = 1000 },
	{ .name = "gru",
		.summary = "bidirectional GRU over a series of cells",
		.fill = ep_fill_gru,
		.is_network = 1,
		.needs_features = 1,
		.needs_series = 1,
		.most_cells = MOST_SERIES_CELLS,
		.handicap = 0.9,
		.prior_slices = 1000 },
	{ NULL },
};

const char *const *ep_estimator_names(void)
{
	static const char *names[EP_ARRAY_SIZE(ep_estimators) + 1] = { "auto" };

	for (size_t i = 0; ep_estimators[i].name; i++)
		names[i + 1] = ep_estimators[i].name;
	return names;
}

int ep_estimator_check(const char *name, struct ep_error *err)
{
	const char *const *names = ep_estimator_names();
	char list[128] = "";
	int n = 0;

	for (size_t i = 0; names[i]; i++) {
		if (!strcmp(names[i], name))
			return 0;
		if ((size_t)n < sizeof(list)) /* a list that is too long ends early */
			n += snprintf(list + n, sizeof(list) - (size_t)n, "%s%s", i ? ", " : "",
				names[i]);
	}
	return ep_fail(err, -EINVAL, "no estimator \"%s\" (%s)", name, list);
}

const char *ep_estimator_summary(const char *name)
{
	for (size_t i = 0; ep_estimators[i].name; i++)
		if (!strcmp(ep_estimators[i].name, name))
			return ep_estimators[i].summary;
	return "for each event the one that does best on hidden slices";
}

int ep_estimate_init_rows(struct ep_estimate *out, const struct ep_grid *g)
{
	size_t row_bytes = g->n_slices * sizeof(double), n = g->n_events * row_bytes + 1;
	struct ep_estimate e = { malloc(n), malloc(n), malloc(n) };

	if (!e.value || !e.mean || !e.spread) {
		ep_estimate_finish(&e);
		return -ENOMEM;
	}
	for (size_t event = 0; event < g->n_events; event++) {
		size_t at = event * g->n_slices;

		if (g->always[event] || g->samples[event].n)
			continue;
		memset(e.value + at, 0, row_bytes);
		memset(e.mean + at, 0, row_bytes);
		memset(e.spread + at, 0, row_bytes);
	}
	*out = e;
	return 0;
}

void ep_estimate_finish(struct ep_estimate *e)
{
	free(e->value);
	free(e->mean);
	free(e->spread);
	*e = (struct ep_estimate){ 0 };
}
