// SPDX-License-Identifier: BSD-3-Clause
/* The table of estimators. */
#include "reporter/estimate/estimator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/estimate/estimate.h"

/*
 * Handicaps and prior slices are explained in docs/estimators.md: a hold-out of
 * a hundred slices, in which gaps are twice as long as they are, flatters nobody, and the networks'
 * widths are right before it.
 */
const struct ep_estimator ep_estimators[] = {
	{ "fixed", "holds the last sample (PAPI's multiplexing)", ep_fill_fixed, 0, 4, 40, 1 },
	{ "linear", "straight lines between samples (trapezoid)", ep_fill_linear, 0, 4, 40, 1 },
	{ "nonlinear", "shape-preserving cubics between samples", ep_fill_pchip, 0, 4, 40, 1 },
	{ "kernel", "similar slices: always-on rates, time, the other groups' events",
		ep_fill_kernel, 1, 4, 40, 1 },
	{ "mlp", "perceptron over a cell's features", ep_fill_mlp, 1, 1, 1000, 0 },
	{ "gru", "bidirectional GRU over a series of cells", ep_fill_gru, 1, 1.2, 1000, 0 },
	{ NULL },
};

const char *const *ep_estimator_names(void)
{
	static const char *names[EP_ARRAY_SIZE(ep_estimators) + 1] = { "auto" };

	for (size_t i = 0; ep_estimators[i].name; i++)
		names[i + 1] = ep_estimators[i].name;
	return names;
}

const char *ep_estimator_summary(const char *name)
{
	for (size_t i = 0; ep_estimators[i].name; i++)
		if (!strcmp(ep_estimators[i].name, name))
			return ep_estimators[i].summary;
	return "for each event the one that does best on hidden slices";
}

int ep_estimate_init(struct ep_estimate *out, size_t n_events, size_t n_slices)
{
	size_t n = n_events * n_slices;
	struct ep_estimate e = { calloc(n, sizeof(double)), calloc(n, sizeof(double)),
		calloc(n, sizeof(double)) };

	if (!e.value || !e.mean || !e.spread) {
		ep_estimate_finish(&e);
		return -ENOMEM;
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
