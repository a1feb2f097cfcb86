// SPDX-License-Identifier: BSD-3-Clause
/* Packs events into groups, by trying which ones the kernel accepts and which then run. */
#include "perf_plan.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "common/os/sys.h"

#define TURN_NS 10000000 /* longer than two of the kernel's rotations (4 ms each) */

/* A group that is being tried, with its descriptors. The group is opened and run for the first kind of cores. For each
 * other kind it is only opened, as long as the kind has all its events. */
struct trial {
	uint32_t n_events;
	uint32_t n_first; /* leaders and always-on events, which begin every group of the list */
	uint8_t events[EP_GROUP_MAX_EVENTS];
	int fds[EP_CORES_MAX_KINDS][EP_GROUP_MAX_EVENTS]; /* -1: the kind lacks the event */
};

static void close_last(struct trial *trial)
{
	trial->n_events--;
	for (uint32_t kind = 0; kind == 0 || kind < ep_perf_cores.n_kinds; kind++)
		if (trial->fds[kind][trial->n_events] >= 0)
			ep_sys_close(trial->fds[kind][trial->n_events]);
}

static void close_trial(struct trial *trial)
{
	while (trial->n_events)
		close_last(trial);
}

/* Tells whether the kind has all events of the group so far. */
static bool is_on_kind(const struct trial *trial, uint32_t kind)
{
	return !trial->n_events || trial->fds[kind][trial->n_events - 1] >= 0;
}

static int open_on_kind(const struct ep_event *event, const struct trial *trial, uint32_t kind)
{
	return ep_perf_open(event, kind, trial->n_events ? trial->fds[kind][0] : -1);
}

static bool opens_alone(const struct ep_event *event, uint32_t kind)
{
	int fd = ep_perf_open(event, kind, -1);

	if (fd >= 0)
		ep_sys_close(fd);
	return fd >= 0;
}

/* Opens the event in the group of each other kind of cores. Returns false if the group of some kind is full: Intel's
 * cpu_atom has fewer counters than cpu_core. A kind that lacks the event is skipped. */
static bool try_other_kinds(const struct ep_event *event, struct trial *trial)
{
	bool has_room = true;

	for (uint32_t kind = 1; kind < ep_perf_cores.n_kinds; kind++) {
		int *fd = &trial->fds[kind][trial->n_events];

		*fd = -1;
		if (!has_room || !is_on_kind(trial, kind))
			continue;
		*fd = open_on_kind(event, trial, kind);
		has_room = *fd >= 0 || !opens_alone(event, kind);
	}
	return has_room;
}

static bool try_event(const struct ep_plan *plan, struct trial *trial, uint8_t event_idx)
{
	const struct ep_event *event = &plan->events[event_idx];
	bool has_room;

	if (trial->n_events == EP_GROUP_MAX_EVENTS)
		return false;
	trial->fds[0][trial->n_events] = open_on_kind(event, trial, 0);
	if (trial->fds[0][trial->n_events] < 0)
		return false;
	has_room = try_other_kinds(event, trial);
	trial->events[trial->n_events++] = event_idx;
	if (!has_room)
		close_last(trial);
	return has_room;
}

static uint64_t running_time_ns(const struct trial *trial)
{
	struct ep_perf_reading reading = { 0 };

	return ep_sys_read(trial->fds[0][0], &reading, sizeof(reading)) > 0 ? reading.running_ns
									    : 0;
}

/*
 * A group is switched on and off by its leader alone. The siblings stay enabled, and run only while the leader does, so
 * that all are switched at once. PERF_IOC_FLAG_GROUP would switch one event after another, each with a rescheduling of
 * the PMU, and the leader would count alone for a while even where the whole group does not fit.
 */

/* Tells whether the group runs, by enabling it for an instant. A successful open does not prove this: the kernel checks
 * it against a PMU without other users, and some codes (Arm's CHAIN) open but never run. The leader may have run before
 * with fewer events, so its running time must grow. */
static bool trial_runs(const struct trial *trial)
{
	uint64_t before_ns = running_time_ns(trial);

	ep_sys_ioctl(trial->fds[0][0], PERF_EVENT_IOC_ENABLE, 0);
	ep_sys_ioctl(trial->fds[0][0], PERF_EVENT_IOC_DISABLE, 0);
	return running_time_ns(trial) > before_ns;
}

/* Tells whether the group gets the counters within TURN_NS. If another user's group has the counters, the kernel gives
 * them to this group at its next rotation of groups. */
static bool trial_gets_turn(const struct trial *trial)
{
	uint64_t end_ns = ep_now_ns(CLOCK_MONOTONIC) + TURN_NS;
	bool runs = false;

	ep_sys_ioctl(trial->fds[0][0], PERF_EVENT_IOC_ENABLE, 0);
	while (!runs && ep_now_ns(CLOCK_MONOTONIC) < end_ns)
		runs = running_time_ns(trial) > 0;
	ep_sys_ioctl(trial->fds[0][0], PERF_EVENT_IOC_DISABLE, 0);
	return runs;
}

static bool is_in_group(const struct ep_perf_wanted *wanted, uint32_t event, int group)
{
	if (wanted->plan->events[event].flags & EP_EVENT_ALWAYS)
		return false;
	return group < 0 || wanted->group_masks[event] & 1u << group;
}

/* How a list of events is packed. At first, a group gets each event that the kernel accepts in it. If one of these
 * groups does not run, the list is packed again, carefully: an event stays in a group only if the group runs with the
 * event. */
struct packing {
	struct ep_perf_wanted *wanted;
	int group;
	bool careful;
	bool all_run;
	/* (n_first) events with which each group of the list begins */
	uint8_t first[EP_PLAN_MAX_EVENTS];
	uint32_t n_first;
	bool has_group; /* a group of the list is finished */
};

static bool add_event(const struct packing *packing, struct trial *trial, uint8_t event_idx)
{
	if (!try_event(packing->wanted->plan, trial, event_idx))
		return false;
	if (!packing->careful || trial_runs(trial))
		return true;
	close_last(trial);
	return false;
}

static void find_first(struct packing *packing)
{
	bool is_listed[EP_PLAN_MAX_EVENTS];

	for (uint32_t i = 0; i < packing->wanted->plan->n_events; i++)
		is_listed[i] = is_in_group(packing->wanted, i, packing->group);
	packing->n_first = ep_lead_order(packing->wanted->plan, is_listed, packing->first);
}

static void begin_trial(const struct packing *packing, struct trial *trial)
{
	for (uint32_t i = 0; i < packing->n_first; i++)
		add_event(packing, trial, packing->first[i]);
	trial->n_first = trial->n_events;
}

static bool has_event(const struct trial *trial, uint32_t event_idx)
{
	for (uint32_t i = 0; i < trial->n_events; i++)
		if (trial->events[i] == event_idx)
			return true;
	return false;
}

/* Tells whether a trial becomes a group. A leader is counted even where the list has no other event. */
static bool is_worth_a_group(const struct packing *packing, const struct trial *trial)
{
	const struct ep_event *events = packing->wanted->plan->events;

	return trial->n_events > trial->n_first ||
	       (trial->n_events && !packing->has_group &&
		       events[trial->events[0]].flags & EP_EVENT_LEADS);
}

static void note_full(struct ep_plan *plan, const struct trial *trial)
{
	char reason[64];

	snprintf(reason, sizeof(reason), "one run takes at most %d groups and %d counts in them",
		EP_PLAN_MAX_GROUPS, EP_PLAN_MAX_SLOTS);
	for (uint32_t i = trial->n_first; i < trial->n_events; i++)
		ep_plan_note_event(plan, plan->events[trial->events[i]].name, reason);
}

static void finish_trial(struct packing *packing, struct trial *trial)
{
	packing->all_run = packing->all_run && (packing->careful || trial_runs(trial));
	packing->has_group = true;
	if (ep_plan_add_group(packing->wanted->plan, trial->events, trial->n_events))
		note_full(packing->wanted->plan, trial);
	close_trial(trial);
}

static void pack_events(struct packing *packing)
{
	struct ep_plan *plan = packing->wanted->plan;
	struct trial trial = { 0 };

	packing->all_run = true;
	packing->has_group = false;
	find_first(packing);
	for (uint32_t i = 0; i < plan->n_events; i++) {
		if (!is_in_group(packing->wanted, i, packing->group))
			continue;
		if (!trial.n_events)
			begin_trial(packing, &trial);
		if (has_event(&trial, i) || add_event(packing, &trial, i))
			continue;
		if (trial.n_events > trial.n_first) {
			finish_trial(packing, &trial);
			begin_trial(packing, &trial);
			if (add_event(packing, &trial, i))
				continue;
		}
		ep_plan_note(plan, "event '%s' is not counted: %s", plan->events[i].name,
			packing->careful ? "the kernel opens it, but it never counts here"
					 : "it does not fit beside the always-on events");
	}
	if (is_worth_a_group(packing, &trial))
		finish_trial(packing, &trial);
	close_trial(&trial);
}

/* Tells whether some hardware event of the plan runs alone. The function runs tells this of a trial; at most n_tries
 * events are tried. */
static bool one_runs(const struct packing *packing, bool (*runs)(const struct trial *), int n_tries)
{
	const struct ep_plan *plan = packing->wanted->plan;
	bool does_run = false;

	for (uint32_t i = 0; i < plan->n_events && n_tries && !does_run; i++) {
		struct trial trial = { 0 };

		if (plan->events[i].flags & EP_EVENT_SOFTWARE)
			continue;
		does_run = try_event(plan, &trial, i) && runs(&trial);
		close_trial(&trial);
		n_tries--;
	}
	return does_run;
}

/* Called if no event runs at once: waits until the first hardware event gets a counter, but for at most TURN_NS, and
 * notes it if none is free. Does so once for all lists, since the start takes that much longer. */
static void look_for_turn(const struct packing *packing)
{
	struct ep_perf_wanted *wanted = packing->wanted;

	if (wanted->has_waited)
		return;
	wanted->has_waited = true;
	if (!one_runs(packing, trial_gets_turn, 1))
		ep_plan_note(wanted->plan,
			"no counter is free: the PMU is in use by another program; events are missing while it is");
}

static void pack_list(struct ep_perf_wanted *wanted, int group)
{
	struct packing packing = { .wanted = wanted, .group = group };
	struct ep_plan *plan = wanted->plan;
	uint32_t n_groups = plan->n_groups, n_slots = plan->n_slots;
	size_t notes_size = strlen(plan->notes);

	pack_events(&packing);
	if (packing.all_run)
		return;
	if (!one_runs(&packing, trial_runs, EP_PLAN_MAX_EVENTS)) {
		look_for_turn(&packing);
		return;
	}
	plan->n_groups = n_groups;
	plan->n_slots = n_slots;
	plan->notes[notes_size] = '\0';
	packing.careful = true;
	pack_events(&packing);
}

/* Makes one group where the plan has only always-on events. */
static void pack_always(struct ep_perf_wanted *wanted)
{
	struct packing packing = { .wanted = wanted, .group = -1, .all_run = true };
	struct trial trial = { 0 };

	find_first(&packing);
	begin_trial(&packing, &trial);
	if (trial.n_events)
		finish_trial(&packing, &trial);
	if (!packing.all_run)
		look_for_turn(&packing);
}

static bool is_in_a_group(const struct ep_plan *plan, uint32_t event_idx)
{
	for (uint32_t g = 0; g < plan->n_groups; g++)
		for (uint32_t i = 0; i < plan->groups[g].n_events; i++)
			if (plan->groups[g].events[i] == event_idx)
				return true;
	return false;
}

/* Notes always-on events that are in no group, since there are more of them than counters. */
static void note_lost_always(struct ep_plan *plan)
{
	for (uint32_t i = 0; plan->n_groups && i < plan->n_events; i++)
		if (plan->events[i].flags & EP_EVENT_ALWAYS && !is_in_a_group(plan, i))
			ep_plan_note_event(plan, plan->events[i].name,
				"it does not fit beside the always-on events");
}

void ep_perf_pack(struct ep_perf_wanted *wanted)
{
	uint32_t all = 0;

	for (uint32_t i = 0; i < wanted->plan->n_events; i++)
		all |= wanted->group_masks[i];
	if (!all)
		pack_list(wanted, -1);
	for (int group = 0; group < 32; group++)
		if (all & 1u << group)
			pack_list(wanted, group);
	if (!wanted->plan->n_groups)
		pack_always(wanted);
	note_lost_always(wanted->plan);
}
