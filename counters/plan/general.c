// SPDX-License-Identifier: BSD-3-Clause
/* Opens groups, runs them for an instant and closes them. Runs while a process starts. */
#include "general.h"

#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/os/sys.h"
#include "counters/events/event.h"
#include "counters/events/perf_attr.h"
#include "counters/events/perf_door.h"

/* Tells whether the group runs. A successful open does not prove this, since the kernel only checks whether the group
 * fits a PMU that has no other users (docs/pmu-guests.md). The siblings are enabled already, and run while their leader
 * does. */
static bool runs_for_an_instant(int leader_fd)
{
	/* a count (or the number of values, for a group), enabled time, running time, then values */
	uint64_t counts[3 + EP_GROUP_ATTRS_MAX] = { 0 };

	ep_sys_ioctl(leader_fd, PERF_EVENT_IOC_ENABLE, 0);
	ep_sys_ioctl(leader_fd, PERF_EVENT_IOC_DISABLE, 0);
	return ep_sys_read(leader_fd, counts, sizeof(counts)) > 0 && counts[2] > 0;
}

bool ep_group_runs(const struct perf_event_attr *attrs, unsigned n_events)
{
	int fds[EP_GROUP_ATTRS_MAX] = { 0 };
	unsigned n_open = 0;
	bool runs = false;

	while (n_open < n_events) {
		struct perf_event_attr attr = attrs[n_open];

		attr.size = sizeof(attr);
		attr.disabled = n_open == 0;
		fds[n_open] = ep_perf_door_open(&attr, 0, -1, n_open ? fds[0] : -1);
		if (fds[n_open] < 0)
			break;
		n_open++;
	}
	if (n_open == n_events)
		runs = runs_for_an_instant(fds[0]);
	while (n_open > 0)
		ep_sys_close(fds[--n_open]);
	return runs;
}

static bool add_attr(
	struct perf_event_attr attrs[EP_GROUP_ATTRS_MAX], unsigned at, const char *name)
{
	struct ep_event event;

	if (at == EP_GROUP_ATTRS_MAX || ep_perf_encode(name, &event, NULL))
		return false;
	attrs[at] = ep_perf_attr_of(&event);
	attrs[at].read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attrs[at].exclude_kernel = attrs[at].exclude_hv = 1;
	return true;
}

/* Returns how many copies of the event, at most n_wanted, run in one group together with the first n_beside events of
 * attrs. */
static unsigned copies_that_run(struct perf_event_attr attrs[EP_GROUP_ATTRS_MAX], unsigned n_beside,
	const char *name, unsigned n_wanted)
{
	unsigned n = 0;

	while (n < n_wanted && add_attr(attrs, n_beside + n, name))
		n++;
	while (n && !ep_group_runs(attrs, n_beside + n))
		n--;
	return n;
}

unsigned ep_general_counters(unsigned n_most, const char *fixed)
{
	struct perf_event_attr attrs[EP_GROUP_ATTRS_MAX];
	char names[4 * EP_EVENT_NAME_BYTES], *save = NULL;
	unsigned n_beside = 0, n_branches;

	snprintf(names, sizeof(names), "%s", fixed);
	for (char *name = strtok_r(names, ",", &save); name; name = strtok_r(NULL, ",", &save))
		n_beside += add_attr(attrs, n_beside, name);
	/* No CPU has a fixed counter for branches, so copies of that event need general ones. POWER counts branches on
	 * one certain counter, and Arm's kernels may not have the event: on these machines no counter is fixed for
	 * instructions, so copies of the event instructions are used instead. */
	n_branches = copies_that_run(attrs, n_beside, "branch-instructions", n_most);
	return n_branches > 1 ? n_branches : copies_that_run(attrs, 0, "instructions", n_most);
}
