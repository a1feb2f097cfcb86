/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recognizes events with few counts. The networks learnt that programs start in bursts, and put a burst where
 * nothing was measured. Such a burst is right at a program's start, but many times too much for a rare event
 * in a part of a run.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_RARE_H
#define EVPROF_REPORTER_ESTIMATE_RARE_H

#include "reporter/estimate/grid.h"

/* Tells whether the samples predict fewer than 2,000 counts. The event must have samples. */
bool ep_event_is_rare(const struct ep_grid *grid, size_t event);

/* Tells whether the series begins with the start of a program, which shows as little work in the first slice.
 * True if that is not known, because clock and work are not always on or the series is too short. */
bool ep_start_is_in_sight(const struct ep_grid *grid);

#endif
