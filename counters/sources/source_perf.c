// SPDX-License-Identifier: BSD-3-Clause
/* Counts by perf_event_open: hardware, raw and software events of the calling thread. prepare (perf_plan.c) runs once
 * for each process tree. The other functions run in the counted thread, start and stop in its signal handler. */
#include <string.h>

#include "common/os/fds.h"
#include "common/os/large.h"
#include "common/os/slice_code.h"
#include "common/os/sys.h"
#include "counters/events/perf_attr.h"
#include "counters/events/perf_door.h"
#include "counters/events/perf_sysfs.h"
#include "perf_plan.h"
#include "source.h"

/* The period of a sampling event that shall end no slice: no count gets that far. The kernel refuses periods with the
 * highest bit set. */
#define ENDLESS_PERIOD (1ull << 62)

EP_LARGE struct ep_cores ep_perf_cores;

int ep_perf_open(const struct ep_event *event, uint32_t kind, int leader_fd)
{
	struct perf_event_attr attr;
	struct ep_event here;
	int rc = ep_cores_encode(&ep_perf_cores, kind, event, &here);

	if (rc)
		return rc;
	attr = ep_perf_attr_of(&here);
	attr.read_format =
		PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.disabled = leader_fd < 0;
	if (here.flags & EP_EVENT_TICKS) {
		attr.sample_period = ENDLESS_PERIOD;
		attr.wakeup_events = 1;
	}
	/* enable_on_exec makes Arm's driver count a disabled leader when the driver checks which events fit. It has no
	 * other effect, since the descriptor is closed on exec. */
	attr.enable_on_exec = leader_fd < 0;
	return ep_perf_door_open(&attr, 0, -1, leader_fd);
}

/* ---- openings: a group is opened once for each kind of cores; openings for the first kind come first ---- */

static uint32_t n_kinds(const struct ep_plan *plan)
{
	uint32_t n = ep_perf_cores.n_kinds ? ep_perf_cores.n_kinds : 1;

	while (n > 1 &&
		(n * plan->n_slots > EP_PLAN_MAX_SLOTS || n * plan->n_groups > EP_PLAN_MAX_GROUPS))
		n--;
	return n;
}

static uint32_t n_openings(const struct ep_plan *plan)
{
	return n_kinds(plan) * plan->n_groups;
}

/* Returns the opening of a group for the kind of core that the thread is on. */
static uint32_t opening_here(const struct ep_plan *plan, uint32_t group)
{
	unsigned cpu = 0;
	uint32_t kind;

	if (n_kinds(plan) == 1)
		return group;
	ep_sys(__NR_getcpu, &cpu, NULL, NULL);
	kind = ep_cores_kind_of(&ep_perf_cores, cpu);
	return kind < n_kinds(plan) ? kind * plan->n_groups + group : group;
}

static const struct ep_group *group_of(const struct ep_plan *plan, uint32_t opening)
{
	return &plan->groups[opening % plan->n_groups];
}

static uint32_t first_slot(const struct ep_plan *plan, uint32_t opening)
{
	return opening / plan->n_groups * plan->n_slots + group_of(plan, opening)->first_slot;
}

/* Tells whether the counters are never switched off: if there is only one opening, and no event can end slices. */
static bool stays_on(const struct ep_plan *plan)
{
	return n_openings(plan) == 1 && !ep_plan_has_triggers(plan);
}

static void mark_closed(struct ep_counters *counters, uint32_t opening)
{
	int *fds = &counters->fds[first_slot(counters->plan, opening)];

	for (uint32_t i = 0; i < group_of(counters->plan, opening)->n_events; i++)
		ep_fds_forget(&fds[i]);
}

static void close_group(struct ep_counters *counters, uint32_t opening)
{
	int *fds = &counters->fds[first_slot(counters->plan, opening)];

	for (uint32_t i = group_of(counters->plan, opening)->n_events; i-- > 0;)
		ep_fds_close(&fds[i]);
}

/* Tells whether the event stops itself at each overflow. Hardware events that also count in the kernel do so: if their
 * period were shorter than the kernel's own work for an overflow, the next overflow would come before the thread goes
 * on. */
static EP_SLICE_CODE bool stops_itself(const struct ep_event *event)
{
	return event->flags & EP_EVENT_TICKS && event->type != PERF_TYPE_SOFTWARE &&
	       !event->exclude_kernel;
}

/* Enables the event until its next overflow. Where the event is a leader, this enables its group, too. */
static EP_SLICE_CODE void allow_overflow(const struct ep_counters *counters, int slot)
{
	ep_sys_ioctl(counters->fds[slot], PERF_EVENT_IOC_REFRESH, 1);
}

static void allow_overflows(
	const struct ep_counters *counters, const struct ep_group *group, uint32_t first)
{
	bool has_counted = false;

	for (uint32_t i = 0; i < group->n_events; i++) {
		if (!stops_itself(&counters->plan->events[group->events[i]]))
			continue;
		allow_overflow(counters, (int)(first + i));
		if (!i)
			ep_sys_ioctl(counters->fds[first], PERF_EVENT_IOC_DISABLE, 0);
		has_counted |= !i;
	}
	if (has_counted)
		ep_sys_ioctl(counters->fds[first], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
}

static int open_group(struct ep_counters *counters, uint32_t opening)
{
	const struct ep_plan *plan = counters->plan;
	const struct ep_group *group = group_of(plan, opening);
	uint32_t first = first_slot(plan, opening);
	int *fds = &counters->fds[first];

	for (uint32_t i = 0; i < group->n_events; i++) {
		int fd = ep_perf_open(
			&plan->events[group->events[i]], opening / plan->n_groups, i ? fds[0] : -1);

		if (fd >= 0)
			fd = ep_fds_lift(fd, &fds[i]);
		if (fd >= 0 && plan->events[group->events[i]].flags & EP_EVENT_TICKS)
			ep_perf_door_signal(fd);
		if (fd < 0) {
			close_group(counters, opening);
			return fd;
		}
		counters->base[first + i] = 0;
	}
	allow_overflows(counters, group, first);
	counters->spent_slots[opening] = -1;
	counters->base_enabled_ns[opening] = counters->base_running_ns[opening] = 0;
	return (int)ep_sys_ioctl(fds[0], PERF_EVENT_IOC_ID, (unsigned long)&counters->ids[opening]);
}

static int open_counters(struct ep_counters *counters, uint32_t first_group)
{
	const struct ep_plan *plan = counters->plan;
	int rc;

	for (uint32_t i = 0; i < n_kinds(plan) * plan->n_slots; i++)
		counters->fds[i] = -1;
	counters->armed_slot = -1;
	counters->opening = opening_here(plan, first_group);
	rc = open_group(counters, counters->opening);
	if (!rc && stays_on(plan))
		ep_sys_ioctl(counters->fds[0], PERF_EVENT_IOC_ENABLE, 0);
	counters->is_open = !rc;
	return rc;
}

static int leader_of(const struct ep_counters *counters)
{
	return counters->fds[first_slot(counters->plan, counters->opening)];
}

static EP_SLICE_CODE bool read_group(
	const struct ep_counters *counters, struct ep_perf_reading *out)
{
	return ep_sys_read(leader_of(counters), out, sizeof(*out)) > 0 &&
	       out->n_values == group_of(counters->plan, counters->opening)->n_events;
}

static EP_SLICE_CODE void set_base(
	struct ep_counters *counters, const struct ep_perf_reading *reading)
{
	memcpy(&counters->base[first_slot(counters->plan, counters->opening)], reading->values,
		reading->n_values * sizeof(uint64_t));
	counters->base_enabled_ns[counters->opening] = reading->enabled_ns;
	counters->base_running_ns[counters->opening] = reading->running_ns;
}

static EP_SLICE_CODE void set_period(const struct ep_counters *counters, int slot, uint64_t period)
{
	ep_sys_ioctl(counters->fds[slot], PERF_EVENT_IOC_PERIOD, (unsigned long)&period);
}

/* Sets the period of the event that shall end the slice, and makes that of the last one endless. The group must be off:
 * only then does a software event begin a new period at once (Linux's perf_swevent_add). */
static EP_SLICE_CODE void arm(struct ep_counters *counters)
{
	int slot = counters->trigger_member < 0
			   ? -1
			   : (int)first_slot(counters->plan, counters->opening) +
				     counters->trigger_member;

	if (counters->armed_slot >= 0 && counters->armed_slot != slot)
		set_period(counters, counters->armed_slot, ENDLESS_PERIOD);
	if (slot >= 0) {
		const struct ep_group *group = group_of(counters->plan, counters->opening);

		counters->trigger_stops = stops_itself(
			&counters->plan->events[group->events[counters->trigger_member]]);
		set_period(counters, slot, counters->trigger_count);
		counters->trigger_fd = counters->fds[slot];
		counters->armed_count = counters->trigger_count;
	}
	counters->armed_slot = slot;
}

/* Notes whether the armed event has stopped itself: it has if it counted its whole period. */
static EP_SLICE_CODE void note_spent(
	struct ep_counters *counters, const struct ep_slice_counts *counts)
{
	int member = counters->armed_slot - (int)first_slot(counters->plan, counters->opening);
	const struct ep_group *group = group_of(counters->plan, counters->opening);

	if (counters->armed_slot >= 0 &&
		stops_itself(&counters->plan->events[group->events[member]]) &&
		counts->values[member] >= counters->armed_count)
		counters->spent_slots[counters->opening] = counters->armed_slot;
}

static EP_SLICE_CODE void renew_spent(struct ep_counters *counters)
{
	int *slot = &counters->spent_slots[counters->opening];

	if (*slot >= 0)
		allow_overflow(counters, *slot);
	*slot = -1;
}

static EP_SLICE_CODE void start(struct ep_counters *counters, uint32_t group)
{
	struct ep_perf_reading reading;

	if (counters->is_lost)
		return;
	counters->trigger_fd = 0;
	if (stays_on(counters->plan)) {
		/* The counters stay on. The new base leaves out what they counted in the signal handler. */
		if (read_group(counters, &reading))
			set_base(counters, &reading);
		return;
	}
	counters->opening = opening_here(counters->plan, group);
	if (leader_of(counters) < 0 && open_group(counters, counters->opening))
		return;
	arm(counters);
	renew_spent(counters);
	ep_sys_ioctl(leader_of(counters), PERF_EVENT_IOC_ENABLE, 0);
}

/* Tells whether the descriptor still belongs to the counter. The program may have closed it by a system call of its
 * own, and opened its own file with the number: to read it would consume the file's data. An ioctl that only perf
 * events answer does no harm. */
static bool is_still_ours(struct ep_counters *counters)
{
	uint64_t id = 0;

	return !ep_sys_ioctl(leader_of(counters), PERF_EVENT_IOC_ID, (unsigned long)&id) &&
	       id == counters->ids[counters->opening];
}

static EP_SLICE_CODE void subtract_base(const struct ep_counters *counters,
	const struct ep_perf_reading *reading, struct ep_slice_counts *out)
{
	uint32_t opening = counters->opening, first = first_slot(counters->plan, opening);

	out->enabled_ns = reading->enabled_ns - counters->base_enabled_ns[opening];
	out->running_ns = reading->running_ns - counters->base_running_ns[opening];
	out->did_run = out->running_ns > 0;
	for (uint32_t i = 0; i < reading->n_values; i++)
		out->values[i] = reading->values[i] - counters->base[first + i];
}

static EP_SLICE_CODE void stop(
	struct ep_counters *counters, uint32_t group, bool is_remote, struct ep_slice_counts *out)
{
	struct ep_perf_reading reading;

	out->did_run = false;
	out->enabled_ns = out->running_ns = 0;
	if (counters->is_lost || leader_of(counters) < 0)
		return;
	if (!is_still_ours(counters)) {
		counters->is_lost = true;
		return;
	}
	if (!stays_on(counters->plan) && !is_remote)
		ep_sys_ioctl(leader_of(counters), PERF_EVENT_IOC_DISABLE, 0);
	if (!read_group(counters, &reading))
		return;
	subtract_base(counters, &reading, out);
	note_spent(counters, out);
	set_base(counters, &reading);
}

static void close_counters(struct ep_counters *counters)
{
	uint32_t n = n_openings(counters->plan);

	if (counters->is_lost)
		for (uint32_t i = 0; i < n; i++)
			mark_closed(counters, i);
	for (uint32_t i = 0; i < n; i++)
		close_group(counters, i);
	counters->is_open = false;
}

static int resume(struct ep_plan *plan, const struct ep_settings *settings, struct ep_error *err)
{
	ep_cores_find(EP_PERF_SYSFS, &ep_perf_cores);
	return 0;
}

const struct ep_source ep_source_perf = {
	.name = "perf",
	.prepare = ep_perf_prepare,
	.resume = resume,
	.open = open_counters,
	.start = start,
	.stop = stop,
	.close = close_counters,
};
