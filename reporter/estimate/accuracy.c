// SPDX-License-Identifier: BSD-3-Clause
/* RA, total error, DTW cost and coverage of one event of one run. */
#include "reporter/estimate/accuracy.h"

#include <math.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "reporter/estimate/dtw.h"
#include "reporter/estimate/series.h"

enum { LEAST_SLICES = 5 };

static size_t kept_slices(size_t n_slices)
{
	size_t tail = ep_tail_slices(n_slices);

	return n_slices > tail ? n_slices - tail : 0;
}

static double relative_accuracy(
	const struct ep_series *s, const double *values, size_t event, double least_count)
{
	double sum = 0;
	size_t n = 0;

	for (size_t t = 0; t < kept_slices(s->n_slices); t++) {
		size_t cell = t * s->n_events + event;
		double truth = s->values[cell];
		if (s->measured[cell] || truth <= 0 || truth < least_count)
			continue;
		sum += fabs(values[cell] - truth) / truth;
		n++;
	}
	return n < LEAST_SLICES ? NAN : fmax(0, 1 - sum / n);
}

static double true_total(const struct ep_series *s, size_t event)
{
	double sum = 0;

	for (size_t t = 0; t < s->n_slices; t++)
		sum += s->values[t * s->n_events + event];
	return sum;
}

static double logged_dtw(const struct ep_series *s, const double *values, size_t event, size_t band)
{
	size_t n = kept_slices(s->n_slices);
	EP_AUTOFREE double *truth = malloc((n + 1) * sizeof(*truth));
	EP_AUTOFREE double *filled = malloc((n + 1) * sizeof(*filled));

	if (!n || !truth || !filled)
		return NAN;
	for (size_t t = 0; t < n; t++) {
		truth[t] = log10(1 + s->values[t * s->n_events + event]);
		filled[t] = log10(1 + values[t * s->n_events + event]);
	}
	return ep_dtw_cost(truth, n, filled, n, band);
}

static double covered(
	const struct ep_series *s, const double *values, const double *errors, size_t event)
{
	size_t n = 0, n_inside = 0;

	for (size_t t = 0; t < s->n_slices; t++) {
		size_t cell = t * s->n_events + event;
		if (s->measured[cell])
			continue;
		n++;
		n_inside += fabs(values[cell] - s->values[cell]) <= 1.96 * errors[cell];
	}
	return n ? (double)n_inside / n : NAN;
}

struct ep_accuracy ep_accuracy_of(const struct ep_series *masked, const double *values,
	const double *errors, const struct ep_fit *fit, size_t event, size_t band)
{
	double truth = true_total(masked, event);
	struct ep_event_fit of = ep_fit_event(fit, event);
	double away = fabs(of.total - truth);

	return (struct ep_accuracy){
		.ra = relative_accuracy(masked, values, event, 0),
		.ra_100 = relative_accuracy(masked, values, event, 100),
		.total_error = truth > 0 ? away / truth : NAN,
		.dtw = logged_dtw(masked, values, event, band),
		.covered = covered(masked, values, errors, event),
		.total_covered = away <= 1.96 * of.total_error,
	};
}
