// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/estimate/rare.h"

#include <math.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "reporter/estimate/nth.h"

/* Events with fewer counts than this are rare. In parts of runs, linear's totals of rare events are nearer to
 * the truth than the networks' totals, and those of other events farther (docs/estimators.md). */
static const double rare_count = 2000;

/* The least drop that marks a program's start, at which loading and relocating wait for memory. 66 of 74 runs
 * of 14 programs began with a slice in which the log of work per clock tick was below the medians of the next
 * slices and of all slices by this much. So did only 9 of 370 parts of runs that begin elsewhere. */
static const double start_drop = 0.4;
enum { NEXT_SLICES = 16 };

bool ep_event_is_rare(const struct ep_grid *g, size_t event)
{
	const struct ep_sampled *s = &g->samples[event];
	double count = 0, measured = 0, all = 0;

	for (size_t t = 0; t < g->n_slices; t++)
		all += g->exposure[t];
	for (size_t k = 0; k < s->n; k++) {
		double exposure = g->exposure[s->at[k]];

		count += g->rates[event * g->n_slices + s->at[k]] * exposure;
		measured += exposure;
	}
	return count * all < rare_count * measured;
}

/* Returns the median of a (n), n at least 1; NaN: out of memory. */
static double median_of(const float *a, size_t n)
{
	EP_AUTOFREE double *sorted = malloc(n * sizeof(*sorted));

	for (size_t i = 0; sorted && i < n; i++)
		sorted[i] = a[i];
	return sorted ? ep_nth_smallest(sorted, n, n / 2) : NAN;
}

bool ep_start_is_in_sight(const struct ep_grid *g)
{
	const float *log_work = g->context ? g->context + g->n_slices : NULL;
	size_t n_next = g->n_slices <= NEXT_SLICES ? g->n_slices - 1 : NEXT_SLICES;

	if (!g->has_context || !log_work || g->n_slices < 2)
		return true;
	double most = fmin(median_of(log_work + 1, n_next), median_of(log_work, g->n_slices));

	return log_work[0] < most - start_drop;
}
