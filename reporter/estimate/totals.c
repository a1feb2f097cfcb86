// SPDX-License-Identifier: BSD-3-Clause
/* Corrects sums over slices, and computes the sums with their standard errors. */
#include "reporter/estimate/totals.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/cleanup.h"

/* An unmeasured slice and its value, for sorting. */
struct slice_slot {
	double value;
	size_t at;
};

static int largest_first(const void *a, const void *b)
{
	const struct slice_slot *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return (x->at > y->at) - (x->at < y->at);
}

static double sum_of_unmeasured(const struct ep_total_row *r)
{
	double sum = 0;

	for (size_t t = 0; t < r->n_slices; t++)
		sum += r->measured[t] ? 0 : r->values[t];
	return sum;
}

static size_t collect(const struct ep_total_row *r, struct slice_slot *slots)
{
	size_t n = 0;

	for (size_t t = 0; t < r->n_slices; t++)
		if (!r->measured[t])
			slots[n++] = (struct slice_slot){ r->values[t], t };
	qsort(slots, n, sizeof(*slots), largest_first);
	return n;
}

/* Adds missing to the values, largest first; each value changes by at most bound times its error. Returns the
 * part of missing that is left. */
static double move(struct ep_total_row *r, const struct slice_slot *slots, size_t n, double missing,
	double bound)
{
	for (size_t i = 0; i < n && missing != 0; i++) {
		double *value = &r->values[slots[i].at];
		double most = bound * r->errors[slots[i].at];
		double step = fmax(-fmin(most, *value), fmin(missing, most));
		*value += step;
		missing -= step;
	}
	return missing;
}

/* The expected sum itself has a relative error of this size (median over steady events of the training
 * programs), so that a smaller difference is not worth changing any slice. */
static const double mean_noise = 0.02;

/* Returns the part of the difference that mean_noise does not explain. */
static double beyond_noise(double missing, double mean)
{
	double noise = mean_noise * mean;

	return missing > noise ? missing - noise : missing < -noise ? missing + noise : 0;
}

/*
 * Minimizes the sum of |change| / value for a given sum of changes, with each change bounded. The solution of
 * this linear program is to change the largest values first. The bound is doubled until it suffices.
 */
int ep_totals_settle(struct ep_total_row *r, double mean)
{
	EP_AUTOFREE struct slice_slot *slots = NULL;
	double sum = sum_of_unmeasured(r), missing = beyond_noise(mean - sum, mean);
	size_t n;

	if (missing == 0) /* the common case; missing is always 0 for interpolations */
		return 0;
	slots = malloc((r->n_slices + 1) * sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	n = collect(r, slots);
	for (double bound = 1; bound < 1e3 && fabs(missing) > 1e-9 * (mean + sum); bound *= 2)
		missing = move(r, slots, n, missing, bound);
	return 0;
}

struct ep_sum ep_total_row_sum(const struct ep_total_row *r, double inflation)
{
	double value = 0, variances = 0;

	for (size_t t = 0; t < r->n_slices; t++) {
		value += r->values[t];
		variances += r->measured[t] ? 0 : r->errors[t] * r->errors[t];
	}
	return (struct ep_sum){ value, sqrt(variances * inflation) };
}
