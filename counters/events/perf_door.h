/* SPDX-License-Identifier: BSD-3-Clause */
/* perf_event_open, the one call of ours that a service's seccomp filter may answer by killing. */
#ifndef EVPROF_COUNTERS_EVENTS_PERF_DOOR_H
#define EVPROF_COUNTERS_EVENTS_PERF_DOOR_H

#include <stdbool.h>

struct perf_event_attr;

/* Would calling it kill this process? Established once, before another thread asks: where a filter
 * is in place, by a child that calls it. */
bool ep_perf_door_kills(void);

/* The call, close-on-exec; -ENOSYS where it would kill. Any context, once the above was asked. */
int ep_perf_door_open(struct perf_event_attr *attr, int pid, int cpu, int group_fd);

#endif
