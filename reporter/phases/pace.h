/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the counts of instructions and cycles from which a thread's pace is computed. Their names depend on the
 * CPU. */
#ifndef EVPROF_REPORTER_PHASES_PACE_H
#define EVPROF_REPORTER_PHASES_PACE_H

#include "reporter/export/count_log.h"
#include "reporter/load/known_events.h"

/* Returns a thread's counts of a known event. Processes of one run, and traces that are read as one, may have
 * counted it under several names. The first name that the thread has counts of is taken, so that nothing is added
 * twice. NULL: the thread has none. */
const struct ep_count_row *ep_pace_row(const struct ep_trace *trace,
	const struct ep_count_log *counts, uint32_t thread_idx, enum ep_known_event what);
/* Tells whether instructions were counted, and each thread that counted them counted cycles, too. If a thread did not,
 * the sums of both are not of the same threads, and no common rate can be computed. */
bool ep_pace_has_cycles(const struct ep_trace *trace, const struct ep_count_log *counts);

#endif
