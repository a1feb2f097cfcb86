// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fills a stretch by the estimators of reporter/estimate. CPU time is added as an event; it is the clock if
 * no event is one. Stretches without a gap are not changed.
 */
#include "reporter/fill/fill_fit.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/containers/index.h"
#include "reporter/estimate/estimate.h"
#include "reporter/estimate/series.h"

/* CPU time does not measure work: on a busy machine it passes while the program makes little progress, and an
 * event that occurs steadily is a better measure. An event occurs steadily if the squared coefficient of
 * variation of its counts per CPU time is below MOST_VARIATION, in at least ENOUGH_SLICES slices, each of
 * which has at least LEAST_TICKS counts unless it is much shorter than the mean. */
#define MOST_VARIATION 0.25
#define ENOUGH_SLICES 16
#define LEAST_TICKS 100

/* A stretch with CPU time as an additional last event: (T, E + 1). */
struct stretch_table {
	double *values;
	unsigned char *measured;
	const char **names;
	unsigned char *always;
	struct ep_series series;
};

static void table_finish(struct stretch_table *table)
{
	free(table->values);
	free(table->measured);
	free(table->names);
	free(table->always);
}

bool ep_stretch_has_gap(const struct ep_stretch *stretch)
{
	size_t n = (size_t)stretch->n_slices * stretch->n_events;

	return n && memchr(stretch->state, EP_VALUE_MISSING, n);
}

static void put_slices(struct stretch_table *table, const struct ep_stretch *stretch)
{
	size_t n_events = stretch->n_events;
	const double *from = stretch->values;
	const uint8_t *state = stretch->state;
	double *values = table->values;
	unsigned char *measured = table->measured;

	for (size_t i = 0; i < stretch->n_slices; i++) {
		for (size_t e = 0; e < n_events; e++) {
			*values++ = *from++;
			*measured++ = *state++ == EP_VALUE_MEASURED;
		}
		*values++ = stretch->cpu_us[i];
		*measured++ = 1;
	}
}

static bool is_always(const struct ep_stretch *stretch, size_t e)
{
	for (size_t i = 0; i < stretch->n_slices; i++)
		if (stretch->state[i * stretch->n_events + e] != EP_VALUE_MEASURED)
			return false;
	return true;
}

/* Returns the squared coefficient of variation of an event's counts per CPU time; infinite if the event has
 * too few counts in a slice that is not much shorter than the mean. */
static double variation_of(const struct ep_stretch *stretch, size_t e)
{
	double time = 0, count = 0, squares = 0;

	for (size_t i = 0; i < stretch->n_slices; i++)
		time += stretch->cpu_us[i];
	for (size_t i = 0; i < stretch->n_slices; i++) {
		double cpu_us = stretch->cpu_us[i];
		double value = stretch->values[i * stretch->n_events + e];

		if (cpu_us * 4 * stretch->n_slices > time && value < LEAST_TICKS)
			return INFINITY;
		count += cpu_us > 0 ? value : 0;
		squares += cpu_us > 0 ? value * value / cpu_us : 0;
	}
	return squares * time / (count * count) - 1;
}

int ep_stretch_find_steadiest(const struct ep_stretch *stretch, const unsigned char *always)
{
	double least = MOST_VARIATION;
	int steadiest = -1;

	for (size_t e = 0; stretch->n_slices >= ENOUGH_SLICES && e < stretch->n_events; e++) {
		double variation = always[e] ? variation_of(stretch, e) : INFINITY;

		if (!(variation < least))
			continue;
		least = variation;
		steadiest = (int)e;
	}
	return steadiest;
}

int ep_stretch_find_clock(const struct ep_stretch *stretch, const struct ep_fill_events *events,
	unsigned char *out_always)
{
	struct ep_series series = { .n_events = stretch->n_events,
		.names = events->names,
		.always = out_always,
		.clock = -1,
		.work = -1 };

	for (size_t e = 0; e < stretch->n_events; e++)
		out_always[e] = is_always(stretch, e);
	ep_series_guess(&series);
	return series.clock;
}

static bool table_init(struct stretch_table *table, const struct ep_stretch *stretch,
	const struct ep_fill_events *events)
{
	size_t n_slices = stretch->n_slices, n_columns = stretch->n_events + 1;
	int clock;

	table->values = malloc(n_slices * n_columns * sizeof(*table->values));
	table->measured = malloc(n_slices * n_columns);
	table->names = calloc(n_columns, sizeof(*table->names));
	table->always = calloc(n_columns, 1);
	if (!table->values || !table->measured || !table->names || !table->always)
		return false;
	put_slices(table, stretch);
	table->series = (struct ep_series){ n_slices, n_columns, table->names, table->values,
		table->measured, table->always, -1, -1 };
	for (size_t e = 0; e < n_columns; e++)
		table->names[e] = e < stretch->n_events ? events->names[e] : "cpu-time";
	clock = ep_stretch_find_clock(stretch, events, table->always);
	if (clock < 0)
		clock = ep_stretch_find_steadiest(stretch, table->always);
	table->always[stretch->n_events] = 1;
	ep_series_guess(&table->series);
	table->series.clock = clock < 0 ? (int)stretch->n_events : clock;
	if (table->series.work == table->series.clock)
		table->series.work = -1;
	return true;
}

/* Returns the sum of the shared errors of the gap that begins with slice i. Callers add the variances of
 * slices to get the variance of a range of slices. The shared error is the same in the whole gap, so the
 * square of this sum is spread over the gap's slices. For a part of the gap the variance is then too large. */
static double sum_of_gap(const struct ep_fit_row *row, uint32_t i, uint32_t n_slices)
{
	double sum = 0;

	for (; i < n_slices && row->shared[i] > 0; i++)
		sum += row->shared[i];
	return sum;
}

static void take_values(
	struct ep_stretch *stretch, const struct ep_fit_row *row, size_t e, double inflation)
{
	size_t at = e;
	double of_gap = 0;

	for (uint32_t i = 0; row->values && i < stretch->n_slices; i++, at += stretch->n_events) {
		double shared = row->shared ? row->shared[i] : 0;

		if (!(shared > 0))
			of_gap = 0;
		else if (!(of_gap > 0))
			of_gap = sum_of_gap(row, i, stretch->n_slices);
		if (stretch->state[at] != EP_VALUE_MISSING || isnan(row->values[i]))
			continue;
		stretch->values[at] = row->values[i];
		stretch->variances[at] =
			(row->errors[i] * row->errors[i] - shared * shared) * inflation +
			shared * of_gap;
		stretch->state[at] = EP_VALUE_FILLED;
	}
}

static void take_quality(
	struct ep_stretch *stretch, const struct ep_fit *fit, const struct stretch_table *table)
{
	for (size_t e = 0; e < stretch->n_events; e++) {
		struct ep_event_fit event;

		if (table->always[e])
			continue;
		event = ep_fit_event(fit, e);
		stretch->quality[e] = (struct ep_fill_quality){
			.estimator = event.coverage > 0 ? event.estimator : NULL,
			.holdout_error = event.holdout_error,
			.variance = event.total_error * event.total_error,
			.n_outliers = (uint32_t)ep_series_outliers(&table->series, e),
		};
	}
}

/* Collects the measured counts above 0 per unit of the clock (-1: CPU time) in out. Returns how many there
 * are. */
static size_t sample_rates(const struct ep_stretch *stretch, size_t e, int clock, double *out)
{
	const double *ticks = clock < 0 ? stretch->cpu_us : stretch->values + clock;
	size_t n_events = stretch->n_events, step = clock < 0 ? 1 : n_events, n = 0;

	for (size_t i = 0; i < stretch->n_slices; i++) {
		size_t at = i * n_events + e;
		double count = stretch->values[at], time = ticks[i * step];

		if (stretch->state[at] == EP_VALUE_MEASURED && count > 0 && time > 0)
			out[n++] = count / time;
	}
	return n;
}

void ep_fill_count_outliers(struct ep_stretch *stretch, const unsigned char *always, int clock)
{
	EP_AUTOFREE double *rates = malloc((stretch->n_slices + 1) * sizeof(*rates));

	for (size_t e = 0; rates && e < stretch->n_events; e++)
		if (!always[e])
			stretch->quality[e].n_outliers = (uint32_t)ep_rates_outliers(
				rates, sample_rates(stretch, e, clock, rates));
}

void ep_fill_by_time(
	const struct ep_fill_events *events, const char *estimator, struct ep_stretch *stretch)
{
	struct ep_fit_options options = { .estimator = estimator };
	__attribute__((cleanup(table_finish))) struct stretch_table table = { 0 };
	struct ep_fit *fit = NULL;

	if (!ep_stretch_has_gap(stretch) || !table_init(&table, stretch, events) ||
		ep_fit(&table.series, &options, &fit, NULL))
		return;
	for (size_t e = 0; e < stretch->n_events; e++) {
		struct ep_fit_row row = ep_fit_row(fit, e);

		if (!table.always[e])
			take_values(stretch, &row, e, ep_fit_event(fit, e).inflation);
	}
	take_quality(stretch, fit, &table);
	ep_fit_destroy(fit);
}
