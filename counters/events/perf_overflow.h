/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out whether an event's overflow interrupts the program: only then can the event end slices. */
#ifndef EVPROF_COUNTERS_EVENTS_PERF_OVERFLOW_H
#define EVPROF_COUNTERS_EVENTS_PERF_OVERFLOW_H

struct ep_event;

enum ep_overflow {
	/* not known, since the event hardly counted: it is rare, or another user has the counters */
	EP_OVERFLOW_UNKNOWN,
	EP_OVERFLOW_SILENT,
	EP_OVERFLOW_INTERRUPTS,
};

/* Finds out by counting a loop, which takes some 0.1 ms. */
enum ep_overflow ep_perf_overflow_try(const struct ep_event *event);
/* Tries the core's event of this name, in user mode. */
enum ep_overflow ep_perf_overflow_try_name(const char *name);

#endif
