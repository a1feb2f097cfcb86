/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether an event's overflow interrupts the program: only then can it end slices. */
#ifndef EVPROF_COUNTERS_EVENTS_PERF_OVERFLOW_H
#define EVPROF_COUNTERS_EVENTS_PERF_OVERFLOW_H

#include <stdbool.h>

/* Found by trying on the core's PMU, with instructions; some 0.1 ms. False where they do not count. */
bool ep_perf_interrupts(void);

#endif
