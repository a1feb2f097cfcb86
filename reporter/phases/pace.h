/* SPDX-License-Identifier: BSD-3-Clause */
/* The counts that a thread's pace is told by, whatever its CPU calls the events. */
#ifndef EVPROF_REPORTER_PHASES_PACE_H
#define EVPROF_REPORTER_PHASES_PACE_H

#include "reporter/export/count_log.h"
#include "reporter/load/known_events.h"

/* The counts of a thread. Processes of one run, and traces that are read as one, may have counted
 * under several names: each thread's is the first of the known names that it has counts of, so that
 * nothing is added twice. NULL: the thread has none. */
const struct ep_count_row *ep_pace_row(const struct ep_trace *trace,
	const struct ep_count_log *counts, uint32_t thread_idx, enum ep_known_event what);
/* Has every thread with counted instructions counted cycles as well? Else one rate for all cannot be
 * made of both. */
bool ep_pace_has_cycles(const struct ep_trace *trace, const struct ep_count_log *counts);

#endif
