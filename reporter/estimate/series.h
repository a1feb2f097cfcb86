/* SPDX-License-Identifier: BSD-3-Clause */
/* From tables to series: which events are always on, what is no count, what a rotation would see.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_SERIES_H
#define EVPROF_REPORTER_ESTIMATE_SERIES_H

#include "common/table.h"
#include "reporter/estimate/estimate.h"

#include <stdbool.h>

/* A series over a table's memory; the table must outlive it. */
struct ep_table_series {
	struct ep_series series;
	unsigned char *always; /* (E) */
};

/* always: "A,B" (the clock, then the work), "" for none, NULL to guess from the names of events
 * that are measured in every slice. -EINVAL where a named event is missing or has gaps. */
int ep_table_series_init(struct ep_table_series *out, const struct ep_table *table,
	const char *path, const char *always, struct ep_error *err) EP_MUST_CHECK;
void ep_table_series_finish(struct ep_table_series *ts);

bool ep_series_is_complete(const struct ep_series *series, size_t event);

/* The measurements that a rotation of groups would make of a complete series. */
struct ep_rotation {
	unsigned n_counters; /* events of a group; always-on events are not counted */
	unsigned seed;       /* 0: groups in the header's order, else a shuffled order */
};
/* measured: (T, E), written whole; returns the number of groups. */
size_t ep_rotation_mask(const struct ep_series *series, const struct ep_rotation *rotation,
	unsigned char *measured);

/* Slices at the end of a run that are neither trained on nor judged: 2 % and 5 (Wang 2022). */
size_t ep_tail_slices(size_t n_slices);

/* Values that cannot be counts (negative, or 2^63 and more) lose their measured flag; returns how
 * many there were. */
size_t ep_table_drop_bad(struct ep_table *table);

/* Measured counts of an event that are far above its others: beyond Tukey's outer fence (1977), Q3
 * + 3 IQR of the logs of counts above 0 per clock tick, with an IQR of at least log 2 and 20 such
 * counts, of which 256 tell the quartiles where there are more. They stay. */
size_t ep_series_outliers(const struct ep_series *series, size_t event);
/* The same of n counts above 0 per clock tick. */
size_t ep_rates_outliers(const double *rates, size_t n);

#define EP_AUTOSERIES __attribute__((cleanup(ep_table_series_finish)))

#endif
