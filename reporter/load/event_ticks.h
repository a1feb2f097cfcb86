/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles ticks by events: slices that were ended by an event's own overflow. Each such tick is a random draw
 * from the places where the event happens, however short the slices there are. docs/estimators.md derives the
 * estimate. A window is the time in which one group is on and one event is armed; a tick by time ends it. The
 * estimator and all sums see a window as one slice.
 */
#ifndef EVPROF_REPORTER_LOAD_EVENT_TICKS_H
#define EVPROF_REPORTER_LOAD_EVENT_TICKS_H

#include "reporter/load/batch.h"

/* Adds a slice that an event ended to the thread's open window, and the tick to the pending ticks. 0 or
 * -ENOMEM. */
int ep_window_take(struct ep_trace_thread *thread, const struct ep_sample *sample,
	uint32_t path_idx, uint32_t n_events, const uint64_t *values) EP_MUST_CHECK;
/* Adds the window's counts to the slice that ends it, given as its sample and its values (window->n_events). */
void ep_window_close(struct ep_window *window, struct ep_sample *sample, uint64_t *values);
/* Forgets the thread's open window and its ticks. */
void ep_window_drop(struct ep_trace_thread *thread);

/* Adds the ticks of a batch's windows to the paths where they ended. 0 or -ENOMEM. */
int ep_event_ticks_add(struct slice_batch *batch) EP_MUST_CHECK;
/* Removes the ticks of all windows that have been added up, and keeps those of the window that is still
 * open. */
void ep_event_ticks_keep_open(struct ep_pending *pending);

#endif
