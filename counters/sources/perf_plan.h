/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The perf source's plan: names to events (perf_plan.c), events to groups that the kernel takes and that run
 * (perf_pack.c). How groups are found by trying, and what each driver does: docs/pmu-guests.md.
 */
#ifndef EVPROF_COUNTERS_SOURCES_PERF_PLAN_H
#define EVPROF_COUNTERS_SOURCES_PERF_PLAN_H

#include "counters/plan/cores.h"
#include "counters/plan/lead.h"
#include "source.h"

/* read() of a group: number, enabled, running, values. */
struct ep_perf_reading {
	uint64_t n_values;
	uint64_t enabled_ns, running_ns;
	uint64_t values[EP_GROUP_MAX_EVENTS];
};

struct ep_perf_wanted {
	struct ep_plan *plan;
	struct ep_lead lead;
	bool user_only;
	bool has_waited;                          /* for a turn on a PMU that others use */
	uint32_t group_masks[EP_PLAN_MAX_EVENTS]; /* groups that name the event */
};

/* The cores of this machine, filled by prepare or resume. */
extern struct ep_cores ep_perf_cores;

/* Opens an event of the calling thread on cores of this kind, off; leader_fd -1: a leader. A
 * descriptor, or -errno. */
int ep_perf_open(const struct ep_event *event, uint32_t kind, int leader_fd);

/* Fills the plan's groups from the events that are wanted; what cannot be had is in its notes. */
void ep_perf_pack(struct ep_perf_wanted *wanted);

/* ep_source.prepare of the perf source. */
int ep_perf_prepare(struct ep_plan *plan, const struct ep_settings *settings,
	struct ep_error *err) EP_MUST_CHECK;

#endif
