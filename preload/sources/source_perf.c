// SPDX-License-Identifier: BSD-3-Clause
/*
 * Counts by perf_event_open: hardware, raw and software events of the calling thread. prepare
 * (perf_plan.c) runs once per process tree; the rest in the counted thread, start and stop in its
 * handler.
 */
#include <string.h>

#include "perf_plan.h"
#include "preload/events/perf_attr.h"
#include "preload/events/perf_door.h"
#include "preload/fds.h"
#include "preload/sys.h"
#include "source.h"

int ep_perf_open(const struct ep_event *event, int leader_fd)
{
	struct perf_event_attr attr = ep_perf_attr_of(event);

	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.disabled = leader_fd < 0;
	/* Makes Arm's driver count an idle leader when it checks what fits; never fires, since the
	 * descriptor is closed on exec. */
	attr.enable_on_exec = leader_fd < 0;
	return ep_perf_door_open(&attr, 0, -1, leader_fd);
}

static void mark_closed(struct ep_counters *counters, uint32_t group_idx)
{
	const struct ep_group *group = &counters->plan->groups[group_idx];

	for (uint32_t i = 0; i < group->n_events; i++)
		ep_fds_forget(&counters->fds[group->first_slot + i]);
}

static void close_group(struct ep_counters *counters, uint32_t group_idx)
{
	const struct ep_group *group = &counters->plan->groups[group_idx];

	for (uint32_t i = group->n_events; i-- > 0;)
		ep_fds_close(&counters->fds[group->first_slot + i]);
}

static int open_group(struct ep_counters *counters, uint32_t group_idx)
{
	const struct ep_group *group = &counters->plan->groups[group_idx];
	int *fds = &counters->fds[group->first_slot];

	for (uint32_t i = 0; i < group->n_events; i++) {
		int fd = ep_perf_open(&counters->plan->events[group->events[i]], i ? fds[0] : -1);

		if (fd >= 0)
			fd = ep_fds_lift(fd, &fds[i]);
		if (fd < 0) {
			close_group(counters, group_idx);
			return fd;
		}
		counters->base[group->first_slot + i] = 0;
	}
	counters->base_enabled_ns[group_idx] = counters->base_running_ns[group_idx] = 0;
	return (int)ep_sys_ioctl(fds[0], PERF_EVENT_IOC_ID,
		(unsigned long)&counters->ids[group_idx]);
}

static int open_counters(struct ep_counters *counters, uint32_t first_group)
{
	int rc;

	for (uint32_t i = 0; i < counters->plan->n_slots; i++)
		counters->fds[i] = -1;
	rc = open_group(counters, first_group);
	if (!rc && counters->plan->n_groups == 1)
		ep_sys_ioctl(counters->fds[0], PERF_EVENT_IOC_ENABLE, 0);
	counters->is_open = !rc;
	return rc;
}

static int leader_of(const struct ep_counters *counters, uint32_t group)
{
	return counters->fds[counters->plan->groups[group].first_slot];
}

static bool read_group(const struct ep_counters *counters, uint32_t group,
	struct ep_perf_reading *out)
{
	return ep_sys_read(leader_of(counters, group), out, sizeof(*out)) > 0 &&
	       out->n_values == counters->plan->groups[group].n_events;
}

static void set_base(struct ep_counters *counters, uint32_t group,
	const struct ep_perf_reading *reading)
{
	memcpy(&counters->base[counters->plan->groups[group].first_slot], reading->values,
		reading->n_values * sizeof(uint64_t));
	counters->base_enabled_ns[group] = reading->enabled_ns;
	counters->base_running_ns[group] = reading->running_ns;
}

static void start(struct ep_counters *counters, uint32_t group)
{
	struct ep_perf_reading reading;

	if (counters->is_lost)
		return;
	if (counters->plan->n_groups == 1) {
		/* stays on: what our handler counted meanwhile is left out */
		if (read_group(counters, group, &reading))
			set_base(counters, group, &reading);
		return;
	}
	if (leader_of(counters, group) < 0 && open_group(counters, group))
		return;
	ep_sys_ioctl(leader_of(counters, group), PERF_EVENT_IOC_ENABLE, 0);
}

/* A descriptor that the program closed behind our back may be its own file by now: reading that
 * would eat its data. An ioctl that only a perf event answers tells. */
static bool is_still_ours(struct ep_counters *counters, uint32_t group)
{
	uint64_t id = 0;

	return !ep_sys_ioctl(leader_of(counters, group), PERF_EVENT_IOC_ID, (unsigned long)&id) &&
	       id == counters->ids[group];
}

static void subtract_base(const struct ep_counters *counters, uint32_t group,
	const struct ep_perf_reading *reading, struct ep_slice_counts *out)
{
	uint32_t first = counters->plan->groups[group].first_slot;

	out->enabled_ns = reading->enabled_ns - counters->base_enabled_ns[group];
	out->running_ns = reading->running_ns - counters->base_running_ns[group];
	out->did_run = out->running_ns > 0;
	for (uint32_t i = 0; i < reading->n_values; i++)
		out->values[i] = reading->values[i] - counters->base[first + i];
}

static void stop(struct ep_counters *counters, uint32_t group, bool is_remote,
	struct ep_slice_counts *out)
{
	struct ep_perf_reading reading;

	out->did_run = false;
	out->enabled_ns = out->running_ns = 0;
	if (counters->is_lost || leader_of(counters, group) < 0)
		return;
	if (!is_still_ours(counters, group)) {
		counters->is_lost = true;
		return;
	}
	if (counters->plan->n_groups > 1 && !is_remote)
		ep_sys_ioctl(leader_of(counters, group), PERF_EVENT_IOC_DISABLE, 0);
	if (!read_group(counters, group, &reading))
		return;
	subtract_base(counters, group, &reading, out);
	set_base(counters, group, &reading);
}

static void close_counters(struct ep_counters *counters)
{
	if (counters->is_lost)
		for (uint32_t g = 0; g < counters->plan->n_groups; g++)
			mark_closed(counters, g);
	for (uint32_t g = 0; g < counters->plan->n_groups; g++)
		close_group(counters, g);
	counters->is_open = false;
}

const struct ep_source ep_source_perf = {
	.name = "perf",
	.prepare = ep_perf_prepare,
	.open = open_counters,
	.start = start,
	.stop = stop,
	.close = close_counters,
};
