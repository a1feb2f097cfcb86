/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes series from tables: finds the always-on events, removes invalid counts, and simulates rotations of
 * groups. */
#ifndef EVPROF_REPORTER_ESTIMATE_SERIES_H
#define EVPROF_REPORTER_ESTIMATE_SERIES_H

#include "common/table.h"
#include "reporter/estimate/estimate.h"

#include <stdbool.h>

/* A series that uses the memory of a table; the table must outlive the series. */
struct ep_table_series {
	struct ep_series series;
	unsigned char *always; /* (E) whether each event is always on */
};

/* Makes a series. always: "A,B" (the clock, then the work), "" for none, NULL to guess from the names of
 * events measured in every slice. -EINVAL if a named event is missing or has gaps. */
int ep_table_series_init(struct ep_table_series *out, const struct ep_table *table,
	const char *path, const char *always, struct ep_error *err) EP_MUST_CHECK;
void ep_table_series_finish(struct ep_table_series *ts);

bool ep_series_is_complete(const struct ep_series *series, size_t event);

/* A rotation of groups, which ep_rotation_mask() simulates on a complete series. */
struct ep_rotation {
	unsigned n_counters; /* events in a group, not counting always-on events */
	unsigned seed;       /* 0: groups in the order of the columns; else a shuffled order */
};
/* Sets all cells of measured (T, E). Returns the number of groups. */
size_t ep_rotation_mask(const struct ep_series *series, const struct ep_rotation *rotation,
	unsigned char *measured);

/* Returns the number of slices at the end of a run that are used neither for training nor for judging: 2 % of
 * the slices plus 5 (Wang 2022). */
size_t ep_tail_slices(size_t n_slices);

/* Clears the measured flag of values that cannot be counts (negative, or 2^63 and more). Returns the number
 * of such values. */
size_t ep_table_drop_bad(struct ep_table *table);

/* Returns how many measured counts of an event are far above its others: beyond Tukey's outer fence (1977),
 * Q3 + 3 IQR of the logs of counts above 0 per clock tick, with an IQR of at least log 2. With fewer than 20
 * such counts the result is 0. With more than 256, the quartiles are found from 256 of them. The counts are
 * not changed. */
size_t ep_series_outliers(const struct ep_series *series, size_t event);
/* Does the same for a list of n counts above 0 per clock tick. */
size_t ep_rates_outliers(const double *rates, size_t n);

#define EP_AUTOSERIES __attribute__((cleanup(ep_table_series_finish)))

#endif
