/* SPDX-License-Identifier: BSD-3-Clause */
/* Events that the kernel describes in sysfs: pmu/field=value,.../ and pmu/alias/. */
#ifndef EVPROF_COUNTERS_EVENTS_PERF_SYSFS_H
#define EVPROF_COUNTERS_EVENTS_PERF_SYSFS_H

#include "event.h"

#define EP_PERF_SYSFS "/sys/bus/event_source/devices"

/* Tells whether name has the form pmu/.../ (without modifiers). */
bool ep_perf_sysfs_is(const char *name);

/* Sets type, config, config1 and config2 from the PMU's description under root (EP_PERF_SYSFS, except in tests).
 * Returns -ENOENT where there is no such PMU or alias; -EINVAL for an unknown field, a value that is too large, or a
 * bad description. */
int ep_perf_sysfs_encode(const char *root, const char *name, struct ep_event *out_event,
	struct ep_error *err) EP_MUST_CHECK;

#endif
