// SPDX-License-Identifier: BSD-3-Clause
/* Interpolates one event's samples: by holding, linearly, and by shape-preserving cubics. */
#include "reporter/estimate/interpolate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/estimate/estimator.h"
#include "reporter/estimate/fast_math.h"

void ep_interpolate_fixed(const struct ep_sampled *s, const double *y, size_t n_slices, double *out)
{
	size_t k = 0;

	for (size_t t = 0; t < n_slices; t++) {
		while (k + 1 < s->n && s->at[k + 1] <= t)
			k++;
		out[t] = y[s->at[k]];
	}
}

/* Sets out[t] before the first and after the last sample. */
static void hold_ends(const struct ep_sampled *s, const double *y, size_t n_slices, double *out)
{
	for (size_t t = 0; t < s->at[0]; t++)
		out[t] = y[s->at[0]];
	for (size_t t = s->at[s->n - 1]; t < n_slices; t++)
		out[t] = y[s->at[s->n - 1]];
}

void ep_interpolate_linear(
	const struct ep_sampled *s, const double *y, size_t n_slices, double *out)
{
	hold_ends(s, y, n_slices, out);
	for (size_t k = 0; k + 1 < s->n; k++) {
		size_t a = s->at[k], b = s->at[k + 1];
		double slope = (y[b] - y[a]) / (double)(b - a);
		for (size_t t = a; t < b; t++)
			out[t] = y[a] + slope * (double)(t - a);
	}
}

/* Returns the slope at the middle of three points: 0 at an extremum, else a weighted harmonic mean of the
 * slopes d0 and d1 on both sides. h0, h1: distances of the points. */
static double inner_slope(double h0, double h1, double d0, double d1)
{
	double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;

	if (d0 * d1 <= 0)
		return 0;
	return (w0 + w1) / (w0 / d0 + w1 / d1);
}

static double slope_at(const struct ep_sampled *s, const double *y, size_t k)
{
	double h0, h1;

	if (k == 0 || k + 1 >= s->n)
		return 0;
	h0 = s->at[k] - s->at[k - 1];
	h1 = s->at[k + 1] - s->at[k];
	return inner_slope(
		h0, h1, (y[s->at[k]] - y[s->at[k - 1]]) / h0, (y[s->at[k + 1]] - y[s->at[k]]) / h1);
}

void ep_interpolate_pchip(const struct ep_sampled *s, const double *y, size_t n_slices, double *out)
{
	double slope = slope_at(s, y, 0), next;

	hold_ends(s, y, n_slices, out);
	for (size_t k = 0; k + 1 < s->n; k++, slope = next) {
		size_t a = s->at[k], b = s->at[k + 1];
		double h = b - a;
		next = slope_at(s, y, k + 1);
		for (size_t t = a; t < b; t++) {
			double u = (t - a) / h, v = 1 - u;
			double value = y[a] * (1 + 2 * u) * v * v + slope * h * u * v * v +
				       y[b] * (1 + 2 * v) * u * u - next * h * v * u * u;
			out[t] = ep_larger(value, 0);
		}
	}
}

/* Returns a spread from the difference of the two samples, and the noise of a count. */
double ep_interpolation_spread(double left, double right)
{
	return fabs(right - left) / 2 + 0.05 * (left + right) + 0.5;
}

/* Sets the spread for all slices from one sample to the next. */
static void spread_of(const struct ep_sampled *s, const double *y, size_t n_slices, double *out)
{
	size_t t = 0;

	for (size_t k = 0; k <= s->n; k++) {
		double left = y[s->at[k ? k - 1 : 0]], right = y[s->at[k < s->n ? k : s->n - 1]];
		double spread = ep_interpolation_spread(left, right);
		size_t end = k < s->n ? s->at[k] : n_slices;

		for (; t < end; t++)
			out[t] = spread;
	}
}

/* The rate of a slice is trusted fully if the mean slice is at most this many times as long; the rate of a
 * shorter slice is trusted in proportion to its length. */
#define FAR_SHORTER 4

static double trust_in(const struct ep_grid *g, size_t slice)
{
	return ep_smaller(FAR_SHORTER * g->exposure[slice], 1);
}

/* Returns the rate that the samples before and after sample k predict for the slice of sample k; the rate of
 * sample k if it is the only one. */
static double rate_beside(
	const struct ep_grid *g, const struct ep_sampled *s, const double *y, size_t k)
{
	double weight_sum = 0, sum = 0;

	for (size_t i = k ? k - 1 : k + 1; i < s->n && i <= k + 1; i += 2) {
		double distance = fabs((double)s->at[i] - (double)s->at[k]);
		double weight = trust_in(g, s->at[i]) / distance;

		weight_sum += weight;
		sum += weight * y[s->at[i]];
	}
	return weight_sum > 0 ? sum / weight_sum : y[s->at[k]];
}

/* Sets out (T) to the rates of the event's samples. The rate of a slice far shorter than others, as the last
 * slice of a thread may be, is moved towards its neighbours' rates, since it would fill a long gap with an
 * untypical rate. */
static void draw_brief(const struct ep_grid *g, size_t event, double *out)
{
	const struct ep_sampled *s = &g->samples[event];
	const double *y = g->rates + event * g->n_slices;

	for (size_t k = 0; k < s->n; k++) {
		uint32_t t = s->at[k];
		double trust = trust_in(g, t);

		out[t] = trust < 1 ? trust * y[t] + (1 - trust) * rate_beside(g, s, y, k) : y[t];
	}
}

typedef void (*interpolate_fn)(const struct ep_sampled *, const double *, size_t, double *);

static int fill_with(interpolate_fn interpolate, const struct ep_grid *g, struct ep_estimate *out)
{
	EP_AUTOFREE double *y = malloc((g->n_slices + 1) * sizeof(*y));

	for (size_t e = 0; y && e < g->n_events; e++) {
		double *value = out->value + e * g->n_slices;

		if (g->always[e] || !g->samples[e].n)
			continue;
		draw_brief(g, e, y);
		interpolate(&g->samples[e], y, g->n_slices, value);
		memcpy(out->mean + e * g->n_slices, value, g->n_slices * sizeof(*value));
		spread_of(&g->samples[e], y, g->n_slices, out->spread + e * g->n_slices);
	}
	return y ? 0 : -ENOMEM;
}

int ep_fill_fixed(const struct ep_fill_task *task, struct ep_estimate *out)
{
	return fill_with(ep_interpolate_fixed, task->grid, out);
}

int ep_fill_linear(const struct ep_fill_task *task, struct ep_estimate *out)
{
	return fill_with(ep_interpolate_linear, task->grid, out);
}

int ep_fill_pchip(const struct ep_fill_task *task, struct ep_estimate *out)
{
	return fill_with(ep_interpolate_pchip, task->grid, out);
}
