/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Features of an event as a whole, the same in all its cells but for the run's two ends: programs
 * start and stop in bursts (loading, relocating, writing out), and how large an event's burst is
 * shows in its other samples and in what kind of event it is. T slices, F features.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_EVENT_FEATURES_H
#define EVPROF_REPORTER_ESTIMATE_EVENT_FEATURES_H

#include "reporter/estimate/grid.h"

enum { EP_N_OUTLINE = 6, EP_N_ENDS = 3 };

/* Writes EP_N_OUTLINE + EP_N_ENDS + EP_N_WORDS floats for each slice; x: (T, ...) at a row stride
 * of n_stride floats. The event has samples. */
void ep_event_features(const struct ep_grid *grid, size_t event, float *x, size_t n_stride);

#endif
