/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which events open a group, and in what order. Intel's PERF_METRICS events (cpu/topdown-.../) are
 * taken by the kernel only in a group that the slots event leads: intel_pmu_hw_config() of Linux.
 */
#ifndef EVPROF_COUNTERS_PLAN_LEAD_H
#define EVPROF_COUNTERS_PLAN_LEAD_H

#include "plan.h"

struct ep_lead {
	bool has_slots;
	struct ep_event slots; /* as this kernel encodes it */
};

/* Reads the PMUs under root (EP_PERF_SYSFS except in tests). */
void ep_lead_find(const char *root, struct ep_lead *out);

/* EP_EVENT_LEADS, EP_EVENT_LED or 0, by the encoding: names differ (slots, TOPDOWN:SLOTS, r400). */
uint32_t ep_lead_flags(const struct ep_lead *lead, const struct ep_event *event);

/* The events that begin every group of one list, in the order of opening: leaders of the list, then
 * always-on hardware events, so that the group's times are those of the PMU, then always-on
 * software events. is_listed (n_events of the plan); out_events (EP_PLAN_MAX_EVENTS); returns how
 * many. */
uint32_t ep_lead_order(const struct ep_plan *plan, const bool *is_listed, uint8_t *out_events);

#endif
