/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events with few counts in all. Programs start in bursts, the networks learned, and put one where
 * nobody measured: right at a program's start, and many times the truth of a rare event in a part of
 * a run.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_RARE_H
#define EVPROF_REPORTER_ESTIMATE_RARE_H

#include "reporter/estimate/grid.h"

/* Whether the samples let less than 2,000 counts expect. The event has samples. */
bool ep_event_is_rare(const struct ep_grid *grid, size_t event);

/* Whether the series begins with the start of a program, by how little work its first slices do. True
 * where nothing tells: clock and work are not always on. */
bool ep_start_is_in_sight(const struct ep_grid *grid);

#endif
