/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decides which events come first in a group, and in what order. The kernel accepts Intel's PERF_METRICS events
 * (cpu/topdown-.../) only in a group whose leader is the slots event: intel_pmu_hw_config() of Linux.
 */
#ifndef EVPROF_COUNTERS_PLAN_LEAD_H
#define EVPROF_COUNTERS_PLAN_LEAD_H

#include "plan.h"

struct ep_lead {
	bool has_slots;
	struct ep_event slots; /* the event in this kernel's encoding */
};

/* Finds the slots event under root (EP_PERF_SYSFS except in tests). */
void ep_lead_find(const char *root, struct ep_lead *out);

/* Returns EP_EVENT_LEADS, EP_EVENT_LED or 0 by the event's encoding, since the same event has several names (slots,
 * TOPDOWN:SLOTS, r400). */
uint32_t ep_lead_flags(const struct ep_lead *lead, const struct ep_event *event);

/* Finds the events with which every group of one list begins, in the order of opening: leaders of the list; then
 * always-on hardware events, so that the group's times are those of the PMU; then always-on software events. is_listed
 * has an element for each event of the plan, out_events room for EP_PLAN_MAX_EVENTS. Returns the number of events
 * found. */
uint32_t ep_lead_order(const struct ep_plan *plan, const bool *is_listed, uint8_t *out_events);

#endif
