// SPDX-License-Identifier: BSD-3-Clause
/*
 * Counts by perf_event_open: the kernel's software and generic events, and all events that libpfm4 names for
 * the PMUs found. Each event is tried: one that can be opened but never runs is left out.
 *
 * Hardware events are counted in user mode only, for which the kernels' expectations hold. Software events are counted
 * in both modes, if that is permitted. PMUs that count for a whole socket (they have a cpumask in sysfs) are opened on
 * the CPU that the thread is pinned to.
 */
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "counters/events/perf_attr.h"
#include "counters/events/perf_door.h"
#include "counters/events/perf_names.h"
#include "counters/events/perf_sysfs.h"
#include "counters/events/pfm.h"
#include "kernels/measure/source.h"

/* The data of read() for a group: number of values, times enabled and running, values. */
struct group_reading {
	uint64_t n_values, enabled_ns, running_ns;
	uint64_t values[EP_COUNT_GROUP_MAX];
};

/* a flag in ep_event.flags: the event counts for a socket, not for a thread */
enum { event_is_wide = 1 << 16 };

static int open_event(const struct ep_event *event, int leader_fd)
{
	struct perf_event_attr attr = ep_perf_attr_of(event);
	bool is_wide = event->flags & event_is_wide;

	attr.read_format =
		PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.disabled = leader_fd < 0;
	return ep_perf_door_open(&attr, is_wide ? -1 : 0, is_wide ? sched_getcpu() : -1, leader_fd);
}

/* ---- listing events ---- */

/* Tells whether the PMU with this number counts for whole sockets. */
static bool has_cpumask(uint32_t type)
{
	DIR *folder = opendir(EP_PERF_SYSFS);
	bool is_found = false, has_mask = false;

	for (struct dirent *entry; folder && !is_found && (entry = readdir(folder));) {
		char path[512], line[32];

		snprintf(path, sizeof(path), EP_PERF_SYSFS "/%s/type", entry->d_name);
		EP_AUTOFCLOSE FILE *in = fopen(path, "re");
		is_found = in && fgets(line, sizeof(line), in) && strtoul(line, NULL, 10) == type;
		snprintf(path, sizeof(path), EP_PERF_SYSFS "/%s/cpumask", entry->d_name);
		has_mask = is_found && !access(path, F_OK);
	}
	if (folder)
		closedir(folder);
	return has_mask;
}

static void spin(long duration_ns)
{
	struct timespec start, now;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - start.tv_sec) * 1000000000L + now.tv_nsec - start.tv_nsec <
		duration_ns);
}

/* Opens the event alone and runs it for a moment. Returns the reason why it does not count; NULL: it
 * counts. */
static const char *try_event(const struct ep_event *event)
{
	struct group_reading reading = { 0 };
	EP_AUTOCLOSE int fd = open_event(event, -1);

	switch (fd) {
	case -ENOENT:
	case -EOPNOTSUPP:
	case -ENODEV:
		return "this machine has no counter for it";
	case -EACCES:
	case -EPERM:
		return "not permitted (perf_event_paranoid, or a container's filter)";
	case -ENOSYS:
		return "this system has no perf_event_open, or a filter in front of it";
	}
	if (fd < 0)
		return "the kernel does not take its code here";
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	spin(500000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, &reading, sizeof(reading)) <= 0 || !reading.running_ns)
		return "the kernel opens it, but it never counts here";
	return NULL;
}

struct listing {
	struct ep_candidates *candidates;
	const struct ep_pfm *pfm;
	int rc;
};

static void add_event(struct listing *listing, struct ep_event *event)
{
	const char *reason;

	if (listing->rc)
		return;
	/* PMUs with a cpumask, and also the PMU msr, cannot exclude any mode (PERF_PMU_CAP_NO_EXCLUDE in Linux). */
	if (event->type > PERF_TYPE_BREAKPOINT && has_cpumask(event->type)) {
		event->flags |= event_is_wide;
		event->exclude_guest = false;
	} else if (!(event->flags & EP_EVENT_SOFTWARE)) {
		event->exclude_kernel = event->exclude_hv = true;
	}
	reason = try_event(event);
	if (reason && !event->exclude_kernel && strstr(reason, "permitted")) {
		event->exclude_kernel = event->exclude_hv = true;
		reason = try_event(event);
	}
	listing->rc = ep_candidates_add(listing->candidates, event, reason);
}

static void add_name(struct listing *listing, const char *name)
{
	struct ep_event event = { 0 };
	struct ep_error err;

	if (!ep_perf_encode(name, &event, &err)) {
		add_event(listing, &event);
		return;
	}
	snprintf(event.name, sizeof(event.name), "%s", name);
	if (!listing->rc)
		listing->rc =
			ep_candidates_add(listing->candidates, &event, "its code is not known");
}

static void see_cache_event(const char *name, uint64_t config, void *data)
{
	add_name(data, name);
}

static int wants_pmu(const pfm_pmu_info_t *pmu, void *data)
{
	/* the PMU "perf" only repeats the kernel's own events */
	return pmu->is_present && strncmp(pmu->name, "perf", 4) != 0;
}

/* Adds EVENT if it has no unit masks, otherwise EVENT:MASK for each of them. */
static void see_pfm_event(const pfm_event_info_t *info, const pfm_pmu_info_t *pmu, void *data)
{
	struct listing *listing = data;
	bool is_core = pmu->type == PFM_PMU_TYPE_CORE;
	char name[EP_EVENT_NAME_BYTES];
	int n_masks = 0;

	for (int i = 0; i < info->nattrs; i++) {
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };

		if (listing->pfm->get_event_attr_info(info->idx, i, PFM_OS_PERF_EVENT, &attr) !=
				PFM_SUCCESS ||
			attr.type != PFM_ATTR_UMASK)
			continue;
		n_masks++;
		snprintf(name, sizeof(name), "%s%s%s:%s", is_core ? "" : pmu->name,
			is_core ? "" : "::", info->name, attr.name);
		add_name(listing, name);
	}
	snprintf(name, sizeof(name), "%s%s%s", is_core ? "" : pmu->name,
		is_core ? "" : "::", info->name);
	if (!n_masks)
		add_name(listing, name);
}

static int list_perf(struct ep_candidates *candidates, const char *argument, struct ep_error *err)
{
	struct listing listing = { .candidates = candidates, .pfm = ep_pfm_load() };

	ep_perf_door_kills(); /* must be called while there is a single thread */
	for (const struct ep_perf_name *name = ep_perf_names; name->name; name++)
		if (strcmp(name->name, "dummy"))
			add_name(&listing, name->name);
	ep_perf_cache_walk(see_cache_event, &listing);
	if (listing.pfm)
		ep_pfm_walk(listing.pfm, wants_pmu, see_pfm_event, &listing);
	return listing.rc ? ep_fail(err, listing.rc, "out of memory") : 0;
}

static int add_perf(struct ep_candidates *candidates, const char *name)
{
	struct listing listing = { .candidates = candidates };

	ep_perf_door_kills(); /* must be called while there is a single thread */
	add_name(&listing, name);
	return listing.rc;
}

/* ---- counting ---- */

static void close_perf(struct ep_count_group *group)
{
	/* closes members before the leader: members of a closed leader would become leaders themselves */
	for (size_t i = group->n; i-- > 0;)
		if (group->fds[i] >= 0)
			close(group->fds[i]);
}

static int read_group(const struct ep_count_group *group, struct group_reading *out)
{
	ssize_t size = read(group->fds[0], out, sizeof(*out));

	return size > 0 && out->n_values == group->n ? 0 : -EIO;
}

/* Tells whether a group runs. A group that the kernel accepts may never run, since not every combination fits
 * the counters. */
static bool group_runs(struct ep_count_group *group)
{
	struct group_reading reading;

	ioctl(group->fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	spin(200000);
	ioctl(group->fds[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	return !read_group(group, &reading) && reading.running_ns &&
	       reading.running_ns == reading.enabled_ns;
}

/* Tells whether two events may be in one group: events for sockets, hardware events and software events are
 * in separate groups. */
static bool may_join(const struct ep_event *a, const struct ep_event *b)
{
	if (a->flags & event_is_wide || b->flags & event_is_wide)
		return a->type == b->type;
	return (a->type == PERF_TYPE_SOFTWARE) == (b->type == PERF_TYPE_SOFTWARE);
}

static int open_perf(struct ep_count_group *group, size_t *out_n_fit, struct ep_error *err)
{
	size_t n_wanted = group->n < EP_COUNT_GROUP_MAX ? group->n : EP_COUNT_GROUP_MAX;

	group->n = 0;
	for (size_t i = 0; i < n_wanted && may_join(&group->events[0], &group->events[i]); i++) {
		int fd = open_event(&group->events[i], i ? group->fds[0] : -1);

		if (fd < 0 && !i)
			return ep_fail(err, fd, "cannot open %s: %s", group->events[0].name,
				strerror(-fd));
		if (fd < 0)
			break;
		group->fds[group->n++] = fd;
		if (i && !group_runs(group)) {
			close(group->fds[--group->n]);
			break;
		}
	}
	*out_n_fit = group->n;
	return 0;
}

static void start_perf(struct ep_count_group *group)
{
	ioctl(group->fds[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	ioctl(group->fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

/* Stops and reads the group. Times enabled and running are cumulative, and RESET does not change them: if
 * they are equal, the group was never multiplexed. */
static int stop_perf(struct ep_count_group *group, double *values)
{
	struct group_reading reading;

	ioctl(group->fds[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	if (read_group(group, &reading))
		return -EIO;
	for (size_t i = 0; i < group->n; i++)
		values[i] = (double)reading.values[i];
	return reading.running_ns && reading.running_ns == reading.enabled_ns ? 0 : -EAGAIN;
}

const struct ep_count_source ep_count_source_perf = {
	.name = "perf",
	.list = list_perf,
	.add = add_perf,
	.open = open_perf,
	.start = start_perf,
	.stop = stop_perf,
	.close = close_perf,
	.has_own_speed = true,
};
