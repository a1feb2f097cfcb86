/* SPDX-License-Identifier: BSD-3-Clause */
/* Cycles and instructions, by all names that CPUs have for them. */
#ifndef EVPROF_REPORTER_LOAD_KNOWN_EVENTS_H
#define EVPROF_REPORTER_LOAD_KNOWN_EVENTS_H

#include "reporter/load/load.h"

enum ep_known_event { EP_KNOWN_INSTRUCTIONS, EP_KNOWN_CYCLES };

/* How names of the event begin, behind a PMU's with "::": the better one first, NULL behind the last. */
const char *const *ep_known_event_names(enum ep_known_event what);
bool ep_event_is_called(const struct ep_event_info *event, const char *beginning);

/* Tells of cycles whether they are of the CPU's clock while the thread ran: reference cycles go on at one
 * rate, and others are of some of the time, or counts of changes. */
bool ep_event_counts_clock(const struct ep_event_info *event);

#endif
