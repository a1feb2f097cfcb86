/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_REPORTER_FILL_FILL_FIT_H
#define EVPROF_REPORTER_FILL_FILL_FIT_H

#include "reporter/load/fill.h"

/* Fills gaps by an estimator of reporter/estimate. If there is no memory, or the estimators refuse the
 * stretch, gaps stay and are marked as missing. */
void ep_fill_by_time(
	const struct ep_fill_events *events, const char *estimator, struct ep_stretch *stretch);

bool ep_stretch_has_gap(const struct ep_stretch *stretch);

/* Sets out_always (number of events): whether every slice measured the event. Returns the index of an event
 * that every slice measured and that is a clock by its name; -1: there is none. */
int ep_stretch_find_clock(const struct ep_stretch *stretch, const struct ep_fill_events *events,
	unsigned char *out_always);

/* Returns the event to use as the clock if no event is a clock by its name: the steadiest of the events that
 * are always on and occur steadily. -1: there is no such event, and CPU time is used. */
int ep_stretch_find_steadiest(const struct ep_stretch *stretch, const unsigned char *always);

/* Sets n_outliers in the quality of events with gaps. always is out_always of ep_stretch_find_clock; clock is
 * the index of an event, or -1 for CPU time. */
void ep_fill_count_outliers(struct ep_stretch *stretch, const unsigned char *always, int clock);

#endif
