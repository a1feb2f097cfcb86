/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The perf source's plan: encodes names (perf_plan.c), and packs events into groups that the kernel accepts and that
 * run (perf_pack.c). docs/pmu-guests.md tells how groups are found by trying, and what each driver does.
 */
#ifndef EVPROF_COUNTERS_SOURCES_PERF_PLAN_H
#define EVPROF_COUNTERS_SOURCES_PERF_PLAN_H

#include "counters/plan/cores.h"
#include "counters/plan/lead.h"
#include "source.h"

/* The data that read() of a group returns: number, enabled, running, values. */
struct ep_perf_reading {
	uint64_t n_values;
	uint64_t enabled_ns, running_ns;
	uint64_t values[EP_GROUP_MAX_EVENTS];
};

struct ep_perf_wanted {
	struct ep_plan *plan;
	struct ep_lead lead;
	bool user_only;
	/* it was tried, by waiting, whether the events get a turn on a PMU that others use */
	bool has_waited;
	uint32_t group_masks[EP_PLAN_MAX_EVENTS]; /* a bit for each group that names the event */
};

/* The kinds of cores of this machine; prepare or resume sets them. */
extern struct ep_cores ep_perf_cores;

/* Opens an event of the calling thread for cores of this kind; leader_fd -1: the event becomes the leader of a group,
 * and is opened disabled. Returns a descriptor, or -errno. */
int ep_perf_open(const struct ep_event *event, uint32_t kind, int leader_fd);

/* Makes the plan's groups from the wanted events. The plan's notes name the events that cannot be counted. */
void ep_perf_pack(struct ep_perf_wanted *wanted);

/* The function prepare of the perf source. */
int ep_perf_prepare(struct ep_plan *plan, const struct ep_settings *settings,
	struct ep_error *err) EP_MUST_CHECK;

#endif
