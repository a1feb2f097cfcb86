/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_REPORTER_FILL_FILL_FIT_H
#define EVPROF_REPORTER_FILL_FILL_FIT_H

#include "reporter/load/fill.h"

/* Fills the gaps by an estimator of reporter/estimate. Without memory, or of a stretch that the
 * estimators refuse, gaps stay: missing, and said so. */
void ep_fill_by_time(
	const struct ep_fill_events *events, const char *estimator, struct ep_stretch *stretch);

bool ep_stretch_has_gap(const struct ep_stretch *stretch);

/* out_always: (E) whether every slice measured the event. Returns the event among them that is a clock
 * by its name, -1: there is none. */
int ep_stretch_find_clock(const struct ep_stretch *stretch, const struct ep_fill_events *events,
	unsigned char *out_always);

/* Returns the event that serves as the clock where none is called so: of those that are always on and
 * occur steadily the steadiest. -1: there is none, CPU time serves. */
int ep_stretch_find_steadiest(const struct ep_stretch *stretch, const unsigned char *always);

/* Sets n_outliers in the quality of events with gaps; always as ep_stretch_find_clock says;
 * clock: an event, -1: CPU time. */
void ep_fill_count_outliers(struct ep_stretch *stretch, const unsigned char *always, int clock);

#endif
