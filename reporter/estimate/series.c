// SPDX-License-Identifier: BSD-3-Clause
/* Makes series from tables, applies rotations, and removes invalid counts. */
#include "reporter/estimate/series.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/cleanup.h"
#include "reporter/estimate/nth.h"

bool ep_series_is_complete(const struct ep_series *s, size_t event)
{
	for (size_t t = 0; t < s->n_slices; t++)
		if (!s->measured[t * s->n_events + event])
			return false;
	return true;
}

/* Parts of the names of always-on events for the clock and for the work, the preferred ones first. */
static const char *const clock_names[] = { "cycles", "cyc", "clk_unhalted", "clk_thread_unhalted",
	"clock", "cpu-time", NULL };
static const char *const work_names[] = { "instructions", "inst_retired", "tot_ins", "instr",
	NULL };

static int find_by_name(const struct ep_series *s, const char *const *parts)
{
	for (; *parts; parts++)
		for (size_t e = 0; e < s->n_events; e++)
			if (s->always[e] && strcasestr(s->names[e], *parts))
				return (int)e;
	return -1;
}

void ep_series_guess(struct ep_series *series)
{
	series->clock = find_by_name(series, clock_names);
	series->work = find_by_name(series, work_names);
	if (series->clock == series->work)
		series->work = -1;
}

static int name_always(struct ep_table_series *ts, const struct ep_table *table, const char *path,
	char *list, struct ep_error *err)
{
	struct ep_place place = { .file = path };
	int *roles[] = { &ts->series.clock, &ts->series.work };
	size_t n = 0;
	char *rest = list;

	for (char *name; (name = strsep(&rest, ","));) {
		int column = ep_table_column(table, name);
		if (!*name)
			continue;
		if (column < 0)
			return ep_fail_at(
				err, -EINVAL, place, "has no event \"%s\" (--always)", name);
		if (!ep_series_is_complete(&ts->series, column))
			return ep_fail_at(err, -EINVAL, place,
				"\"%s\" is not measured in every slice; leave it out of --always",
				name);
		ts->always[column] = 1;
		if (n < EP_ARRAY_SIZE(roles))
			*roles[n++] = column;
	}
	return 0;
}

int ep_table_series_init(struct ep_table_series *out, const struct ep_table *table,
	const char *path, const char *always, struct ep_error *err)
{
	EP_AUTOSERIES struct ep_table_series ts = { 0 };
	EP_AUTOFREE char *list = always ? strdup(always) : NULL;
	int rc = 0;

	ts.always = calloc(table->n_columns, 1);
	if (!ts.always || (always && !list))
		return ep_fail(err, -ENOMEM, "out of memory");
	ts.series = (struct ep_series){
		.n_slices = table->n_rows,
		.n_events = table->n_columns,
		.names = (const char *const *)table->names,
		.values = table->values,
		.measured = table->measured,
		.always = ts.always,
		.clock = -1,
		.work = -1,
	};
	if (always) {
		rc = name_always(&ts, table, path, list, err);
	} else {
		for (size_t e = 0; e < table->n_columns; e++)
			ts.always[e] = ep_series_is_complete(&ts.series, e);
		ep_series_guess(&ts.series);
	}
	if (rc)
		return rc;
	*out = ts;
	ts = (struct ep_table_series){ 0 };
	return 0;
}

void ep_table_series_finish(struct ep_table_series *ts)
{
	free(ts->always);
	*ts = (struct ep_table_series){ 0 };
}

/* Returns a random number by xorshift64*, so that a seed gives the same rotation on all machines. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717u;
}

static void shuffle(size_t *order, size_t n, unsigned seed)
{
	uint64_t state = 88172645463325252u + seed * 7919u;

	for (size_t i = n; i > 1; i--) {
		size_t j = (next_random(&state) >> 33) % i, kept = order[i - 1];
		order[i - 1] = order[j];
		order[j] = kept;
	}
}

size_t ep_rotation_mask(
	const struct ep_series *s, const struct ep_rotation *rotation, unsigned char *measured)
{
	size_t order[4096], n = 0, n_groups; /* a table has at most 4096 columns */

	for (size_t e = 0; e < s->n_events; e++)
		if (!s->always[e])
			order[n++] = e;
	n_groups = (n + rotation->n_counters - 1) / rotation->n_counters;
	if (rotation->seed)
		shuffle(order, n, rotation->seed);
	for (size_t i = 0; i < s->n_slices * s->n_events; i++)
		measured[i] = s->always[i % s->n_events];
	for (size_t t = 0; t < s->n_slices && n_groups; t++)
		for (size_t k = 0; k < n; k++)
			if (k / rotation->n_counters == t % n_groups)
				measured[t * s->n_events + order[k]] = 1;
	return n_groups;
}

size_t ep_tail_slices(size_t n_slices)
{
	return n_slices / 50 + 5;
}

size_t ep_table_drop_bad(struct ep_table *table)
{
	size_t n_dropped = 0;

	for (size_t i = 0; i < table->n_rows * table->n_columns; i++) {
		bool is_count = table->values[i] >= 0 && table->values[i] < 9223372036854775808.0;
		if (!table->measured[i] || is_count)
			continue;
		table->measured[i] = 0;
		table->values[i] = 0;
		n_dropped++;
	}
	return n_dropped;
}

/* Writes the measured counts above 0 to out, each divided by its slice's clock ticks if there is a clock.
 * Returns the number of counts written. */
static size_t sample_rates(const struct ep_series *s, size_t event, double *out)
{
	size_t n = 0;

	for (size_t t = 0; t < s->n_slices; t++) {
		size_t cell = t * s->n_events + event;
		double ticks = s->clock < 0 ? 1 : s->values[t * s->n_events + (size_t)s->clock];

		if (s->measured[cell] && s->values[cell] > 0 && ticks > 0)
			out[n++] = s->values[cell] / ticks;
	}
	return n;
}

enum { LEAST_SAMPLES = 20 };

/* This many rates are enough to find the quartiles for the fence, the limit of outliers. */
enum { ENOUGH_RATES = 256 };

/* Takes a random rate from each part of the list: every n-th rate would mislead if a program alternates with
 * a fixed period. */
static size_t take_few(const double *rates, size_t n, double out[ENOUGH_RATES])
{
	uint64_t chance = n;

	if (n <= ENOUGH_RATES) {
		memcpy(out, rates, n * sizeof(*out));
		return n;
	}
	for (size_t i = 0; i < ENOUGH_RATES; i++) {
		/* the linear congruential generator of Knuth's MMIX */
		chance = chance * 6364136223846793005u + 1442695040888963407u;
		out[i] = rates[i * n / ENOUGH_RATES + (chance >> 33) % (n / ENOUGH_RATES)];
	}
	return ENOUGH_RATES;
}

/* Returns the fence, the rate above which rates are outliers: three interquartile ranges above the upper
 * quartile, of the logarithms of rates. */
static double fence_of(const double *rates, size_t n)
{
	double few[ENOUGH_RATES], high, range;
	size_t n_few = take_few(rates, n, few);

	high = ep_nth_smallest(few, n_few, 3 * n_few / 4);
	range = fmax(high / ep_nth_smallest(few, 3 * n_few / 4, n_few / 4),
		2); /* the first selection has moved the smaller rates to the front */
	return high * range * range * range;
}

size_t ep_rates_outliers(const double *rates, size_t n)
{
	size_t n_outliers = 0;
	double fence;

	if (n < LEAST_SAMPLES)
		return 0;
	fence = fence_of(rates, n);
	for (size_t i = 0; i < n; i++)
		n_outliers += rates[i] > fence;
	return n_outliers;
}

size_t ep_series_outliers(const struct ep_series *series, size_t event)
{
	EP_AUTOFREE double *rates = malloc((series->n_slices + 1) * sizeof(*rates));

	return rates ? ep_rates_outliers(rates, sample_rates(series, event, rates)) : 0;
}
