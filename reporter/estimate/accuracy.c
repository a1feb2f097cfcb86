// SPDX-License-Identifier: BSD-3-Clause
/* Computes the accuracy measures of one event of one run: RA, total error, DTW cost and coverage. */
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

static double relative_accuracy(const struct ep_accuracy_column *c, double least_count)
{
	double sum = 0;
	size_t n = 0;

	for (size_t t = 0; t < kept_slices(c->n_slices); t++) {
		double truth = c->truth[t];
		if (c->measured[t] || truth <= 0 || truth < least_count)
			continue;
		sum += fabs(c->values[t] - truth) / truth;
		n++;
	}
	return n < LEAST_SLICES ? NAN : fmax(0, 1 - sum / n);
}

static double covered(const struct ep_accuracy_column *c)
{
	size_t n = 0, n_inside = 0;

	for (size_t t = 0; t < c->n_slices; t++) {
		if (c->measured[t])
			continue;
		n++;
		n_inside += fabs(c->values[t] - c->truth[t]) <= 1.96 * c->errors[t];
	}
	return n ? (double)n_inside / n : NAN;
}

struct ep_accuracy ep_accuracy_of_slices(const struct ep_accuracy_column *column)
{
	return (struct ep_accuracy){
		.ra = relative_accuracy(column, 0),
		.ra_100 = relative_accuracy(column, 100),
		.total_error = NAN,
		.dtw = NAN,
		.covered = covered(column),
		.total_covered = NAN,
	};
}

void ep_accuracy_set_total(
	struct ep_accuracy *accuracy, const struct ep_event_fit *fit, const double *truth, size_t n)
{
	double true_total = 0, away;

	for (size_t t = 0; t < n; t++)
		true_total += truth[t];
	away = fabs(fit->total - true_total);
	accuracy->total_error = true_total > 0 ? away / true_total : NAN;
	accuracy->total_covered = away <= 1.96 * fit->total_error;
}

static double *logs(const double *counts, size_t n)
{
	double *out = malloc((n + 1) * sizeof(*out));

	for (size_t t = 0; out && t < n; t++)
		out[t] = log10(1 + counts[t]);
	return out;
}

double ep_accuracy_dtw(const double *a, size_t n, const double *b, size_t m, size_t band)
{
	size_t n_kept = kept_slices(n), m_kept = kept_slices(m);
	EP_AUTOFREE double *x = logs(a, n_kept);
	EP_AUTOFREE double *y = logs(b, m_kept);

	return n_kept && m_kept && x && y ? ep_dtw_cost(x, n_kept, y, m_kept, band) : NAN;
}

double *ep_column_copy(const double *cells, size_t n_slices, size_t n_events, size_t event)
{
	double *out = malloc((n_slices + 1) * sizeof(*out));

	for (size_t t = 0; out && t < n_slices; t++)
		out[t] = cells[t * n_events + event];
	return out;
}

static const struct ep_accuracy unknown = { NAN, NAN, NAN, NAN, NAN, NAN };

struct ep_accuracy ep_accuracy_of(const struct ep_series *masked, const double *values,
	const double *errors, const struct ep_fit *fit, size_t event, size_t band)
{
	size_t n = masked->n_slices, n_events = masked->n_events;
	EP_AUTOFREE double *truth = ep_column_copy(masked->values, n, n_events, event);
	EP_AUTOFREE double *filled = ep_column_copy(values, n, n_events, event);
	EP_AUTOFREE double *spread = ep_column_copy(errors, n, n_events, event);
	EP_AUTOFREE unsigned char *measured = malloc(n + 1);
	struct ep_event_fit of = ep_fit_event(fit, event);
	struct ep_accuracy accuracy;

	if (!truth || !filled || !spread || !measured)
		return unknown;
	for (size_t t = 0; t < n; t++)
		measured[t] = masked->measured[t * n_events + event];
	accuracy = ep_accuracy_of_slices(
		&(struct ep_accuracy_column){ n, truth, filled, spread, measured });
	ep_accuracy_set_total(&accuracy, &of, truth, n);
	accuracy.dtw = ep_accuracy_dtw(filled, n, truth, n, band);
	return accuracy;
}
