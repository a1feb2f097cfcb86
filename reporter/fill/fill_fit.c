// SPDX-License-Identifier: BSD-3-Clause
/*
 * The estimators of reporter/estimate as a filler: a few thousand slices of a thread at a time, so
 * that memory stays bounded. CPU time joins the events as the clock. Stretches without a gap are
 * left alone.
 */
#include "reporter/fill/fill_fit.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "reporter/estimate/estimate.h"
#include "reporter/estimate/series.h"
#include "reporter/fill/fill_path.h"
#include "reporter/load/index.h"

/* Enough for every group of 64 to come up often, and for the hold-out; 4096 slices of 16 events are
 * 1 MB. */
#define SLICES_AT_ONCE 4096
/* The hold-out looks at eight windows of a thousand slices: of a longer stretch it is a smaller
 * part. auto chooses anew for each stretch, so that for it a longer one is not the same. */
#define MOST_AT_ONCE 16384

/* The filler that only holds the last rate takes as long as inflating. */
#define MOST_PATH_BYTES 50000000 /* some 2 million slices */
#define MOST_AUTO_BYTES 100000   /* some 10,000, which take three seconds */

static const char *chosen = "auto"; /* estimator */

/* One stretch with the clock as its last event: (T, E + 1). */
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

static bool table_init(struct stretch_table *table, const struct ep_stretch *stretch,
	const struct ep_fill_events *events)
{
	size_t n_slices = stretch->n_slices, n_columns = stretch->n_events + 1;

	table->values = malloc(n_slices * n_columns * sizeof(*table->values));
	table->measured = malloc(n_slices * n_columns);
	table->names = calloc(n_columns, sizeof(*table->names));
	table->always = calloc(n_columns, 1);
	if (!table->values || !table->measured || !table->names || !table->always)
		return false;
	put_slices(table, stretch);
	table->series = (struct ep_series){ n_slices, n_columns, table->names, table->values,
		table->measured, table->always, -1, -1 };
	for (size_t e = 0; e < n_columns; e++) {
		table->names[e] = e < stretch->n_events ? events->names[e] : "cpu-time";
		/* if it was: a group that did not run leaves gaps in any */
		table->always[e] = ep_series_is_complete(&table->series, e);
	}
	ep_series_guess(&table->series); /* a clock in any case: CPU time is always on */
	return true;
}

/* The variance of any range's sum shall be the sum of its slices' variances: what all of a long
 * gap's share counts for the whole gap, which is too much for a part of it. Slice i begins a gap. */
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

static bool is_always(const struct ep_stretch *stretch, size_t e)
{
	for (size_t i = 0; i < stretch->n_slices; i++)
		if (stretch->state[i * stretch->n_events + e] != EP_VALUE_MEASURED)
			return false;
	return true;
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

/* (n) measured counts above 0 per tick of the clock (-1: CPU time). */
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

/* Without memory, or for a stretch the estimators refuse, the gaps stay: missing, and said so. */
static void fill_by_time(const struct ep_fill_events *events, struct ep_stretch *stretch)
{
	struct ep_fit_options options = { .estimator = chosen };
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

/* ---- the place in the program as another candidate ---- */

/* The stretch as `path` fills it, in memory of its own. */
static void finish_copy(struct ep_stretch *copy)
{
	free(copy->values);
	free(copy->state);
	free(copy->variances);
	free(copy->quality);
	free(copy->changes);
}

static bool copy_stretch(const struct ep_stretch *stretch, struct ep_stretch *out)
{
	size_t n = (size_t)stretch->n_slices * stretch->n_events;

	*out = *stretch;
	out->values = malloc((n + 1) * sizeof(*out->values));
	out->state = malloc(n + 1);
	out->variances = malloc((n + 1) * sizeof(*out->variances));
	out->quality = calloc(stretch->n_events + 1, sizeof(*out->quality));
	out->changes = calloc(n + 1, sizeof(*out->changes));
	if (!out->values || !out->state || !out->variances || !out->quality || !out->changes)
		return false;
	memcpy(out->values, stretch->values, n * sizeof(*out->values));
	memcpy(out->state, stretch->state, n);
	memcpy(out->variances, stretch->variances, n * sizeof(*out->variances));
	return true;
}

static void take_event(struct ep_stretch *stretch, const struct ep_stretch *from, size_t e)
{
	for (size_t at = e; at < (size_t)stretch->n_slices * stretch->n_events;
		at += stretch->n_events) {
		stretch->values[at] = from->values[at];
		stretch->state[at] = from->state[at];
		stretch->variances[at] = from->variances[at];
		stretch->changes[at] = from->changes[at];
	}
	stretch->quality[e] = from->quality[e];
}

/* Errors that no replica knows: each goes by itself, to a replica and with a sign by chance, so
 * that sums of them grow as sums of independent errors do. */
static void make_changes(struct ep_stretch *stretch, size_t e)
{
	for (size_t i = 0; i < stretch->n_slices; i++) {
		size_t at = i * stretch->n_events + e;
		uint64_t chance = ep_hash_mix(stretch->seed, at);
		double error = sqrt(stretch->variances[at] * EP_N_REPLICAS / (EP_N_REPLICAS - 1));

		if (stretch->state[at] != EP_VALUE_FILLED || !(stretch->variances[at] > 0))
			continue;
		stretch->changes[at].by[0] = (float)(chance >> 63 ? error : -error);
		stretch->changes[at].replica[0] = (chance >> 32) % EP_N_REPLICAS;
		stretch->variances[at] = 0;
	}
}

/* In the mean over the events: one estimator for all, so that what the same slices measured stays
 * together. Where nothing can be hidden, of one count that shall stand for a run, path says how
 * little that is. */
static bool is_path_better(const struct ep_stretch *by_path, const struct ep_stretch *by_time)
{
	double path = 0, time = 0;
	bool is_compared = false;

	for (size_t e = 0; e < by_path->n_events; e++) {
		double path_error = by_path->quality[e].holdout_error;
		double time_error = by_time->quality[e].holdout_error;

		if (!by_path->quality[e].estimator || !by_time->quality[e].estimator ||
			isnan(path_error) || isnan(time_error))
			continue;
		path += path_error;
		time += time_error;
		is_compared = true;
	}
	if (!is_compared)
		return true;
	return path < time;
}

/* Where slices of the same place tell more than slices near in time and alike in what was counted.
 */
static void fill_by_both(void *path, struct ep_stretch *stretch)
{
	__attribute__((cleanup(finish_copy))) struct ep_stretch by_path = { 0 };

	if (!ep_stretch_has_gap(stretch) || !copy_stretch(stretch, &by_path))
		return;
	ep_filler_path.fill(path, &by_path);
	fill_by_time(ep_filler_path_events(path), stretch);
	bool takes_path = by_path.has_changes && is_path_better(&by_path, stretch);

	for (size_t e = 0; by_path.has_changes && e < stretch->n_events; e++) {
		if (takes_path && by_path.quality[e].estimator)
			take_event(stretch, &by_path, e);
		else
			make_changes(stretch, e);
	}
	stretch->has_changes = by_path.has_changes;
}

static void fill(void *thread, struct ep_stretch *stretch)
{
	if (strcmp(chosen, "auto"))
		fill_by_time(thread, stretch);
	else
		fill_by_both(thread, stretch);
}

static struct ep_filler_ops filler = {
	.name = "auto",
	.n_slices = SLICES_AT_ONCE,
	.tells_variances = true,
	.fill = fill,
};

static const struct ep_filler_ops *filler_of(const char *name)
{
	if (ep_estimator_check(name, NULL))
		return NULL;
	chosen = filler.name = name;
	filler.uses_places = !strcmp(name, "auto");
	filler.process_create = filler.uses_places ? ep_filler_path.process_create : NULL;
	filler.process_destroy = filler.uses_places ? ep_filler_path.process_destroy : NULL;
	filler.learn = filler.uses_places ? ep_filler_path.learn : NULL;
	filler.n_slices_most = filler.uses_places ? SLICES_AT_ONCE : MOST_AT_ONCE;
	return &filler;
}

/* The size of the traces together. A pipe's is not known and counts as too much for auto. */
static off_t size_of(const char *const *paths)
{
	off_t size = 0;
	struct stat st;

	for (; *paths; paths++)
		size += !stat(*paths, &st) && S_ISREG(st.st_mode) ? st.st_size
								  : MOST_AUTO_BYTES + 1;
	return size;
}

const struct ep_filler_ops *ep_filler_find(const char *name)
{
	if (!strcmp(name, ep_filler_path.name))
		return &ep_filler_path;
	return strcmp(name, ep_filler_fixed.name) ? filler_of(name) : &ep_filler_fixed;
}

const struct ep_filler_ops *ep_filler_default(const char *const *paths)
{
	off_t size = size_of(paths);

	if (size > MOST_PATH_BYTES)
		return &ep_filler_fixed;
	return size > MOST_AUTO_BYTES ? &ep_filler_path : filler_of("auto");
}
