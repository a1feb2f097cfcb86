/* SPDX-License-Identifier: BSD-3-Clause */
/* How many counters of the PMU a program gets, found by trying. */
#ifndef EVPROF_COUNTERS_PLAN_GENERAL_H
#define EVPROF_COUNTERS_PLAN_GENERAL_H

#include <stdbool.h>

#define EP_GROUP_ATTRS_MAX 32

struct perf_event_attr;

/* Whether these events open as one group and run as a whole. Their read_format has both times. */
bool ep_group_runs(const struct perf_event_attr *attrs, unsigned n_events);

/* General counters that a program gets here at this time, of the n_most that the CPU may have: a
 * virtual machine has fewer, so has a core that runs two hardware threads, and a watchdog or another
 * user may hold some. fixed: "EV1,EV2", events with counters of their own that are to count at the
 * same time. Where a watchdog has such a counter they take a general one. 0: no hardware event
 * runs. Some ten system calls for each number that is tried. */
unsigned ep_general_counters(unsigned n_most, const char *fixed);

#endif
