/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Supports machines whose cores are of several kinds, each with its own PMU: Intel's cpu_core and cpu_atom, Arm's big
 * and LITTLE. An event counts only while its thread is on a core of its PMU's kind (x86_pmu_filter(), armpmu_filter()
 * of Linux), so each group is opened once for each kind.
 */
#ifndef EVPROF_COUNTERS_PLAN_CORES_H
#define EVPROF_COUNTERS_PLAN_CORES_H

#include "counters/events/event.h"

#include <stdint.h>

#define EP_CORES_MAX_KINDS 4
#define EP_CORES_MAX_CPUS 1024 /* larger machines have only one kind of cores */

struct ep_core_kind {
	char name[32]; /* the PMU's name */
	uint32_t type; /* perf_event_attr.type of the PMU's own events */
	uint64_t cpus[EP_CORES_MAX_CPUS / 64];
};

struct ep_cores {
	uint32_t n_kinds; /* 0: all cores are of one kind */
	struct ep_core_kind kinds[EP_CORES_MAX_KINDS];
};

/* Reads the PMUs under root (EP_PERF_SYSFS except in tests). Kinds with a core that the calling thread may use come
 * first. Among these, and among the others, kinds are ordered by type; cpu_core's type is the lowest. */
void ep_cores_find(const char *root, struct ep_cores *out);

/* Returns the kind of this CPU; 0, the first kind, if no kind lists the CPU. Allowed in any context. */
uint32_t ep_cores_kind_of(const struct ep_cores *cores, unsigned cpu);

/* Encodes the event for this kind's PMU. Returns -ENOENT if the event belongs to another kind, as events by Intel's
 * codes do. Software events stay as they are; so do, for the first kind only, events of a PMU that belongs to no
 * kind. */
int ep_cores_encode(const struct ep_cores *cores, uint32_t kind, const struct ep_event *event,
	struct ep_event *out_event) EP_MUST_CHECK;

/* The CPUs that the calling thread may use. ep_cores_enter notes them and moves the thread to cores of the first kind,
 * to try which events run there; ep_cores_leave restores them. */
struct ep_cores_stay {
	bool is_moved;
	uint64_t before[EP_CORES_MAX_CPUS / 64];
};

void ep_cores_enter(const struct ep_cores *cores, struct ep_cores_stay *out_stay);
void ep_cores_leave(const struct ep_cores_stay *stay);

#endif
