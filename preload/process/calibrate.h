/* SPDX-License-Identifier: BSD-3-Clause */
/* The default length of a slice. */
#ifndef EVPROF_PRELOAD_PROCESS_CALIBRATE_H
#define EVPROF_PRELOAD_PROCESS_CALIBRATE_H

#include "preload/recording/clock.h"

/* Measures what a tick costs the program here (interrupt, signal, return: 2 us on bare metal, up to
 * 60 in a VM) and returns the period that keeps all of a slice's cost below one percent, within 1 to
 * 10 ms; one of EP_SCHEDULER_SHORTEST_NS or more is mixed_from_ns at least, if that is within them.
 * Takes less than a millisecond. In the constructor, before the main thread is measured. */
uint64_t ep_calibrate_period(enum ep_clock_kind kind, uint64_t mixed_from_ns);

/* The handler tells by it that a tick came to a thread that is not measured (yet). Signal-safe. */
void ep_calibrate_note_tick(void);

#endif
