// SPDX-License-Identifier: BSD-3-Clause
/*
 * Counts by perf_event_open: hardware, raw and software events of the calling thread.
 * prepare runs once per process tree; the rest in the counted thread, start and stop in its handler.
 * How groups are found by trying, and what each driver does: docs/pmu-guests.md.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "preload/fds.h"
#include "preload/source.h"
#include "preload/suggest.h"
#include "preload/sys.h"

/* read() of a group: number, enabled, running, values. */
struct group_reading {
	uint64_t n_values;
	uint64_t enabled_ns, running_ns;
	uint64_t values[EP_GROUP_MAX_EVENTS];
};

static const char default_software[] = "minor-faults,major-faults,context-switches,cpu-migrations";
static const char default_hardware[] =
	"cycles,instructions,branches,branch-misses,cache-references,cache-misses,"
	"L1-dcache-loads,L1-dcache-load-misses,dTLB-load-misses,iTLB-load-misses,"
	"stalled-cycles-frontend,stalled-cycles-backend";

/* ---- opening ---- */

static int open_event(const struct ep_event *event, int leader_fd)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = event->type;
	attr.config = event->config;
	attr.config1 = event->config1;
	attr.config2 = event->config2;
	attr.exclude_user = event->exclude_user;
	attr.exclude_kernel = event->exclude_kernel;
	attr.exclude_hv = event->exclude_hv;
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.disabled = leader_fd < 0;
	/* Makes Arm's driver count an idle leader when it checks what fits; never fires, since the
	 * descriptor is closed on exec. */
	attr.enable_on_exec = leader_fd < 0;
	return (int)ep_sys(__NR_perf_event_open, &attr, 0, -1, leader_fd, PERF_FLAG_FD_CLOEXEC);
}

/* ---- prepare: names to events, events to groups ---- */

/* Leaves out what is not asked of the kernel in user-only mode; true when that helped. */
static bool retry_user_only(struct ep_event *event, int *fd)
{
	if (*fd != -EACCES && *fd != -EPERM)
		return false;
	event->exclude_kernel = event->exclude_hv = true;
	*fd = open_event(event, -1);
	return *fd >= 0;
}

static bool is_fixed(const struct ep_event *event)
{
	static const char *const names[] = { "cycles", "cpu-cycles", "instructions", "CPU_CYCLES",
		"INST_RETIRED", "PM_RUN_CYC", "PM_RUN_INST_CMPL", "INST_RETIRED:ANY_P",
		"CPU_CLK_UNHALTED:THREAD_P", "UNHALTED_CORE_CYCLES", "INSTRUCTION_RETIRED" };
	const char *bare = strstr(event->name, "::") ? strstr(event->name, "::") + 2 : event->name;
	char name[EP_EVENT_NAME_BYTES];
	size_t size = strlen(bare);

	/* without modifiers */
	while (size > 2 && strchr("ukh", bare[size - 1]))
		size--;
	size = size && bare[size - 1] == ':' ? size - 1 : strlen(bare);
	memcpy(name, bare, size);
	name[size] = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (ep_name_equal(name, names[i]))
			return true;
	return false;
}

struct wanted {
	struct ep_plan *plan;
	bool user_only;
	int groups[EP_PLAN_MAX_EVENTS]; /* group asked for, per event */
	uint32_t group_masks[EP_PLAN_MAX_EVENTS]; /* groups that name the event */
};

static const char *explain_open(int error)
{
	switch (error) {
	case -ENOENT:
	case -EOPNOTSUPP:
	case -ENODEV:
		return "this machine has no counter for it";
	case -EACCES:
	case -EPERM:
		return "not permitted; see evprof doctor";
	case -EINVAL:
		return "the kernel does not take its code here";
	default:
		return strerror(-error);
	}
}

static int find_event(const struct ep_plan *plan, const char *name)
{
	for (uint32_t i = 0; i < plan->n_events; i++)
		if (!strcmp(plan->events[i].name, name))
			return i;
	return -1;
}

static int want_event(const char *name, int group, void *argument)
{
	struct wanted *wanted = argument;
	int known = find_event(wanted->plan, name), fd;
	struct ep_error err;
	struct ep_event event;

	if (known < 0) {
		if (ep_perf_encode(name, &event, &err)) {
			ep_plan_note(wanted->plan, "event '%s' is not counted: %s", name, err.message);
			return 0;
		}
		fd = open_event(&event, -1);
		wanted->user_only |= fd < 0 && retry_user_only(&event, &fd);
		if (fd < 0) {
			ep_plan_note(wanted->plan, "event '%s' is not counted: %s", name,
				explain_open(fd));
			return 0;
		}
		ep_sys_close(fd);
		if (is_fixed(&event) || event.type == PERF_TYPE_SOFTWARE)
			event.flags |= EP_EVENT_ALWAYS;
		if (event.type == PERF_TYPE_SOFTWARE)
			event.flags |= EP_EVENT_SOFTWARE;
		known = ep_plan_add_event(wanted->plan, &event);
		if (known < 0) {
			ep_plan_note(wanted->plan, "event '%s' is not counted: at most %d events",
				name, EP_PLAN_MAX_EVENTS);
			return 1;
		}
		wanted->groups[known] = group;
		wanted->group_masks[known] = 0;
	}
	if (group >= 0 && group < 32)
		wanted->group_masks[known] |= 1u << group;
	return 0;
}

/* A group being tried, with its descriptors. */
struct trial {
	uint32_t n_events;
	uint8_t events[EP_GROUP_MAX_EVENTS];
	int fds[EP_GROUP_MAX_EVENTS];
};

static void close_trial(struct trial *trial)
{
	while (trial->n_events)
		ep_sys_close(trial->fds[--trial->n_events]);
}

static bool try_event(const struct ep_plan *plan, struct trial *trial, uint8_t event_idx)
{
	int leader = trial->n_events ? trial->fds[0] : -1, fd;

	if (trial->n_events == EP_GROUP_MAX_EVENTS)
		return false;
	fd = open_event(&plan->events[event_idx], leader);
	if (fd < 0)
		return false;
	trial->fds[trial->n_events] = fd;
	trial->events[trial->n_events++] = event_idx;
	return true;
}

static bool trial_runs(const struct trial *trial)
{
	struct group_reading reading = { 0 };

	ep_sys_ioctl(trial->fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	ep_sys_ioctl(trial->fds[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	return ep_sys_read(trial->fds[0], &reading, sizeof(reading)) > 0 && reading.running_ns > 0;
}

static void finish_trial(struct ep_plan *plan, struct trial *trial)
{
	if (trial->n_events && !trial_runs(trial))
		ep_plan_note(plan, "the group of '%s' did not count when it was tried: its counters "
			"are taken by another user of the PMU, or cannot count these events together",
			plan->events[trial->events[trial->n_events - 1]].name);
	if (trial->n_events)
		ep_plan_add_group(plan, trial->events, trial->n_events);
	close_trial(trial);
}

/* Hardware always-on events lead, so that the group's times are those of the PMU. */
static void begin_trial(const struct ep_plan *plan, struct trial *trial)
{
	for (int software = 0; software < 2; software++)
		for (uint32_t i = 0; i < plan->n_events; i++)
			if ((plan->events[i].flags & EP_EVENT_ALWAYS) &&
				!!(plan->events[i].flags & EP_EVENT_SOFTWARE) == software)
				try_event(plan, trial, i);
}

static uint32_t count_always(const struct ep_plan *plan)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < plan->n_events; i++)
		n += (plan->events[i].flags & EP_EVENT_ALWAYS) != 0;
	return n;
}

static bool is_in_group(const struct wanted *wanted, uint32_t event, int group)
{
	if (wanted->plan->events[event].flags & EP_EVENT_ALWAYS)
		return false;
	return group < 0 || wanted->group_masks[event] & 1u << group;
}

/* Greedy: an event that the kernel refuses begins the next group. */
static void pack_events(struct wanted *wanted, int group)
{
	struct ep_plan *plan = wanted->plan;
	uint32_t n_always = count_always(plan);
	struct trial trial = { 0 };

	for (uint32_t i = 0; i < plan->n_events; i++) {
		if (!is_in_group(wanted, i, group))
			continue;
		if (!trial.n_events)
			begin_trial(plan, &trial);
		if (try_event(plan, &trial, i))
			continue;
		if (trial.n_events > n_always) {
			finish_trial(plan, &trial);
			begin_trial(plan, &trial);
			if (try_event(plan, &trial, i))
				continue;
		}
		close_trial(&trial);
		ep_plan_note(plan, "event '%s' is not counted: it does not fit beside the "
			"always-on events", plan->events[i].name);
	}
	if (trial.n_events > n_always)
		finish_trial(plan, &trial);
	close_trial(&trial);
}

static void pack_groups(struct wanted *wanted)
{
	uint32_t all = 0;
	struct trial trial = { 0 };

	for (uint32_t i = 0; i < wanted->plan->n_events; i++)
		all |= wanted->group_masks[i];
	if (!all)
		pack_events(wanted, -1);
	for (int group = 0; group < 32; group++)
		if (all & 1u << group)
			pack_events(wanted, group);
	if (!wanted->plan->n_groups && wanted->plan->n_events) {
		begin_trial(wanted->plan, &trial);
		finish_trial(wanted->plan, &trial);
	}
}

bool ep_perf_has_hardware(void)
{
	struct ep_event event;
	struct ep_error err;
	int fd;

	if (ep_perf_encode("cycles", &event, &err))
		return false;
	fd = open_event(&event, -1);
	if (fd < 0 && !retry_user_only(&event, &fd))
		return false;
	ep_sys_close(fd);
	return true;
}

static int prepare(struct ep_plan *plan, const struct ep_settings *settings, struct ep_error *err)
{
	static struct wanted wanted;
	const char *events = settings->events;

	memset(&wanted, 0, sizeof(wanted));
	wanted.plan = plan;
	if (!events[0])
		events = ep_perf_has_hardware() ? default_hardware : default_software;
	ep_plan_split(events, want_event, &wanted);
	pack_groups(&wanted);
	if (!plan->n_groups)
		return ep_fail(err, -ENOENT, "none of the events can be counted here: %s",
			plan->notes);
	if (!settings->events[0] && events == default_hardware)
		plan->notes[0] = '\0'; /* the default takes what there is */
	if (wanted.user_only)
		ep_plan_note(plan, "events count user mode only: perf_event_paranoid does not permit "
			"more");
	return 0;
}

/* ---- the counted thread ---- */

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
		int fd = open_event(&counters->plan->events[group->events[i]], i ? fds[0] : -1);

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
		ep_sys_ioctl(counters->fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	counters->is_open = !rc;
	return rc;
}

static int leader_of(const struct ep_counters *counters, uint32_t group)
{
	return counters->fds[counters->plan->groups[group].first_slot];
}

static bool read_group(const struct ep_counters *counters, uint32_t group,
	struct group_reading *out)
{
	return ep_sys_read(leader_of(counters, group), out, sizeof(*out)) > 0 &&
	       out->n_values == counters->plan->groups[group].n_events;
}

static void set_base(struct ep_counters *counters, uint32_t group,
	const struct group_reading *reading)
{
	memcpy(&counters->base[counters->plan->groups[group].first_slot], reading->values,
		reading->n_values * sizeof(uint64_t));
	counters->base_enabled_ns[group] = reading->enabled_ns;
	counters->base_running_ns[group] = reading->running_ns;
}

static void start(struct ep_counters *counters, uint32_t group)
{
	struct group_reading reading;

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
	ep_sys_ioctl(leader_of(counters, group), PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
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
	const struct group_reading *reading, struct ep_slice_counts *out)
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
	struct group_reading reading;

	out->did_run = false;
	out->enabled_ns = out->running_ns = 0;
	if (counters->is_lost || leader_of(counters, group) < 0)
		return;
	if (!is_still_ours(counters, group)) {
		counters->is_lost = true;
		return;
	}
	if (counters->plan->n_groups > 1 && !is_remote)
		ep_sys_ioctl(leader_of(counters, group), PERF_EVENT_IOC_DISABLE,
			PERF_IOC_FLAG_GROUP);
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
	.prepare = prepare,
	.open = open_counters,
	.start = start,
	.stop = stop,
	.close = close_counters,
};
