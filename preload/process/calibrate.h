/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the default length of a slice. */
#ifndef EVPROF_PRELOAD_PROCESS_CALIBRATE_H
#define EVPROF_PRELOAD_PROCESS_CALIBRATE_H

#include "preload/recording/clock.h"

/* Measures the cost of a tick to the program on this machine (interrupt, signal, return: 2 us on bare metal, up to 60
 * us in a virtual machine) and returns the period that keeps the whole cost of a slice below one percent, within 1 to
 * 10 ms. A result of EP_SCHEDULER_SHORTEST_NS or more is raised to mixed_from_ns, from which on the mixed clock serves,
 * unless mixed_from_ns is more than 10 ms. Takes less than a millisecond. Called in the constructor, before the main
 * thread is measured. */
uint64_t ep_calibrate_period(enum ep_clock_kind kind, uint64_t mixed_from_ns);

/* Notes a tick that came to a thread which is not measured (yet). Called in the tick's handler; signal-safe. */
void ep_calibrate_note_tick(void);

#endif
