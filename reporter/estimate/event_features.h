/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Features of an event as a whole. They are the same in all cells of the event, except those for the distance
 * to the run's two ends. These exist because programs start and stop with bursts (loading, relocating,
 * writing output), and the size of an event's burst depends on its other samples and on the kind of event. T
 * slices, F features.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_EVENT_FEATURES_H
#define EVPROF_REPORTER_ESTIMATE_EVENT_FEATURES_H

#include "reporter/estimate/grid.h"

enum { EP_N_OUTLINE = 6, EP_N_ENDS = 3 };

/* Writes EP_N_OUTLINE + EP_N_ENDS + EP_N_WORDS floats for each slice; x: (T, ...) with rows n_stride floats
 * apart. The event must have samples. */
void ep_event_features(const struct ep_grid *grid, size_t event, float *x, size_t n_stride);

#endif
