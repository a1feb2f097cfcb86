/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out by trying how many counters of the PMU a program gets. */
#ifndef EVPROF_COUNTERS_PLAN_GENERAL_H
#define EVPROF_COUNTERS_PLAN_GENERAL_H

#include <stdbool.h>

#define EP_GROUP_ATTRS_MAX 32

struct perf_event_attr;

/* Tells whether these events open as one group and run together. The read_format of each must ask for the enabled and
 * the running time. */
bool ep_group_runs(const struct perf_event_attr *attrs, unsigned n_events);

/* Returns how many general counters a program gets here now, of the n_most that the CPU may have. A virtual machine has
 * fewer, as has a core that runs two hardware threads, and a watchdog or another user may occupy some. fixed:
 * "EV1,EV2", events that have counters of their own and shall count at the same time. If a watchdog occupies such a
 * counter, the event takes a general one. Returns 0 if no hardware event runs. Each number that is tried takes some ten
 * system calls. */
unsigned ep_general_counters(unsigned n_most, const char *fixed);

#endif
