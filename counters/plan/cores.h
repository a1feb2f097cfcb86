/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Machines whose cores are of several kinds, each with a PMU of its own: Intel's cpu_core and cpu_atom,
 * Arm's big and LITTLE. An event counts only while its thread is on a core of its PMU's kind
 * (x86_pmu_filter(), armpmu_filter() of Linux), so each group is opened once for each kind.
 */
#ifndef EVPROF_COUNTERS_PLAN_CORES_H
#define EVPROF_COUNTERS_PLAN_CORES_H

#include "counters/events/event.h"

#include <stdint.h>

#define EP_CORES_MAX_KINDS 4
#define EP_CORES_MAX_CPUS 1024 /* larger machines have cores of one kind */

struct ep_core_kind {
	char name[32]; /* of the PMU */
	uint32_t type; /* perf_event_attr.type of its own events */
	uint64_t cpus[EP_CORES_MAX_CPUS / 64];
};

struct ep_cores {
	uint32_t n_kinds; /* 0: all cores are alike */
	struct ep_core_kind kinds[EP_CORES_MAX_KINDS];
};

/* Reads the PMUs under root (EP_PERF_SYSFS except in tests). Kinds of which the calling thread may
 * use a core come first, then the others, in the order of their types: cpu_core has the lowest. */
void ep_cores_find(const char *root, struct ep_cores *out);

/* The kind of this CPU; 0 where none lists it. Any context. */
uint32_t ep_cores_kind_of(const struct ep_cores *cores, unsigned cpu);

/* The event as this kind's PMU counts it. -ENOENT: it is another kind's (Intel's codes are). The first
 * kind is asked for those as they are. */
int ep_cores_encode(const struct ep_cores *cores, uint32_t kind, const struct ep_event *event,
	struct ep_event *out_event) EP_MUST_CHECK;

/* Moves the calling thread to cores of the first kind and back, for trying what runs there. */
struct ep_cores_stay {
	bool is_moved;
	uint64_t before[EP_CORES_MAX_CPUS / 64];
};

void ep_cores_enter(const struct ep_cores *cores, struct ep_cores_stay *out_stay);
void ep_cores_leave(const struct ep_cores_stay *stay);

#endif
