/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_REPORTER_FILL_FILL_FIT_H
#define EVPROF_REPORTER_FILL_FILL_FIT_H

#include "reporter/load/fill.h"

/* "path", "hold" or the filler behind an estimator's name ("auto", "linear", ...), which the caller
 * keeps; NULL when there is none of that name. One at a time: the choice is the command's. */
const struct ep_filler_ops *ep_filler_find(const char *name);

/* What traces of their size (NULL behind the last) get where nobody chose, so that reading them
 * takes seconds: auto, longer ones path, and the largest the filler that holds the last rate and
 * knows no interval. The same for all commands: they show the same numbers. */
const struct ep_filler_ops *ep_filler_default(const char *const *paths);

bool ep_stretch_has_gap(const struct ep_stretch *stretch);

/* out_always: (E) whether every slice measured the event. Returns the event among them that is a
 * clock, -1: none, CPU time is. */
int ep_stretch_find_clock(const struct ep_stretch *stretch, const struct ep_fill_events *events,
	unsigned char *out_always);

/* Sets n_outliers in the quality of events with gaps; always and clock as ep_stretch_find_clock
 * says. */
void ep_fill_count_outliers(struct ep_stretch *stretch, const unsigned char *always, int clock);

#endif
