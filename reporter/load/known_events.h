/* SPDX-License-Identifier: BSD-3-Clause */
/* Recognizes the events cycles and instructions by all names that CPUs have for them. */
#ifndef EVPROF_REPORTER_LOAD_KNOWN_EVENTS_H
#define EVPROF_REPORTER_LOAD_KNOWN_EVENTS_H

#include "reporter/load/load.h"

enum ep_known_event { EP_KNOWN_INSTRUCTIONS, EP_KNOWN_CYCLES };

/* Returns the beginnings of the event's names, without a PMU's name and "::": the preferred one comes first,
 * and NULL ends the list. */
const char *const *ep_known_event_names(enum ep_known_event what);
bool ep_event_is_called(const struct ep_event_info *event, const char *beginning);

/* Tells whether a cycles event counts every cycle of the CPU's clock while the thread ran. Some do not:
 * reference cycles have a constant rate, and others count only some cycles, or changes of a state. */
bool ep_event_counts_clock(const struct ep_event_info *event);

#endif
