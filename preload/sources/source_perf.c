// SPDX-License-Identifier: BSD-3-Clause
/*
 * Counts by perf_event_open: hardware, raw and software events of the calling thread.
 * prepare runs once per process tree; the rest in the counted thread, start and stop in its handler.
 * How groups are found by trying, and what each driver does: docs/pmu-guests.md.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "lead.h"
#include "preload/events/perf_sysfs.h"
#include "preload/events/suggest.h"
#include "preload/fds.h"
#include "preload/sys.h"
#include "source.h"

#define TURN_NS 10000000 /* longer than two of the kernel's rotations (4 ms each) */

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

/* Without the other events of its group, but for the leader that it must have. */
static int open_alone(const struct ep_lead *lead, const struct ep_event *event)
{
	struct ep_event leader = lead->slots;
	int leader_fd, fd;

	if (!(event->flags & EP_EVENT_LED))
		return open_event(event, -1);
	leader.exclude_user = event->exclude_user;
	leader.exclude_kernel = event->exclude_kernel;
	leader.exclude_hv = event->exclude_hv;
	leader_fd = open_event(&leader, -1);
	if (leader_fd < 0)
		return leader_fd;
	fd = open_event(event, leader_fd);
	ep_sys_close(leader_fd);
	return fd;
}

/* Leaves out what is not asked of the kernel in user-only mode; true when that helped. */
static bool retry_user_only(const struct ep_lead *lead, struct ep_event *event, int *fd)
{
	if (*fd != -EACCES && *fd != -EPERM)
		return false;
	event->exclude_kernel = event->exclude_hv = true;
	*fd = open_alone(lead, event);
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
	struct ep_lead lead;
	bool user_only;
	int groups[EP_PLAN_MAX_EVENTS]; /* group asked for, per event */
	uint32_t group_masks[EP_PLAN_MAX_EVENTS]; /* groups that name the event */
};

static const char *explain_refusal(void)
{
	static char text[96];
	char level[16];

	if (ep_sys_read_file("/proc/sys/kernel/perf_event_paranoid", level, sizeof(level)) <= 0)
		return "not permitted; see evprof doctor";
	level[strcspn(level, "\n")] = '\0';
	snprintf(text, sizeof(text),
		"not permitted (kernel.perf_event_paranoid is %s); see evprof doctor", level);
	return text;
}

static const char *explain_open(int error)
{
	switch (error) {
	case -ENOENT:
	case -EOPNOTSUPP:
	case -ENODEV:
		return "this machine has no such counter";
	case -EACCES:
	case -EPERM:
		return explain_refusal();
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
			ep_plan_note_event(wanted->plan, name, err.message);
			return 0;
		}
		event.flags |= ep_lead_flags(&wanted->lead, &event);
		fd = open_alone(&wanted->lead, &event);
		wanted->user_only |= fd < 0 && retry_user_only(&wanted->lead, &event, &fd);
		if (fd < 0) {
			ep_plan_note_event(wanted->plan, name, explain_open(fd));
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
	uint32_t n_first; /* leaders and always-on events: what every group of the list has */
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

static uint64_t running_time_ns(const struct trial *trial)
{
	struct group_reading reading = { 0 };

	return ep_sys_read(trial->fds[0], &reading, sizeof(reading)) > 0 ? reading.running_ns : 0;
}

/*
 * Groups are switched by their leader alone: the siblings stay enabled and go on and off with it, all
 * at once. PERF_IOC_FLAG_GROUP switches one event after the other instead, each with a rescheduling
 * of the PMU, and the leader counts alone for a while even where the whole group does not fit.
 */

/* Enables for an instant. An open that succeeded says nothing: it is checked against a PMU
 * without other users, and some codes (Arm's CHAIN) open and never run. The running time may be
 * from when the group was smaller: it must grow. */
static bool trial_runs(const struct trial *trial)
{
	uint64_t before_ns = running_time_ns(trial);

	ep_sys_ioctl(trial->fds[0], PERF_EVENT_IOC_ENABLE, 0);
	ep_sys_ioctl(trial->fds[0], PERF_EVENT_IOC_DISABLE, 0);
	return running_time_ns(trial) > before_ns;
}

/* Beside another user's group the kernel gives ours the counters after its next rotation. */
static bool trial_gets_turn(const struct trial *trial)
{
	uint64_t end_ns = ep_now_ns(CLOCK_MONOTONIC) + TURN_NS;
	bool runs = false;

	ep_sys_ioctl(trial->fds[0], PERF_EVENT_IOC_ENABLE, 0);
	while (!runs && ep_now_ns(CLOCK_MONOTONIC) < end_ns)
		runs = running_time_ns(trial) > 0;
	ep_sys_ioctl(trial->fds[0], PERF_EVENT_IOC_DISABLE, 0);
	return runs;
}

static bool is_in_group(const struct wanted *wanted, uint32_t event, int group)
{
	if (wanted->plan->events[event].flags & EP_EVENT_ALWAYS)
		return false;
	return group < 0 || wanted->group_masks[event] & 1u << group;
}

/* How a list of events is packed: greedily by what the kernel takes; where a group of those does
 * not run, carefully: an event stays only where the group runs with it. */
struct packing {
	struct wanted *wanted;
	int group;
	bool careful;
	bool all_run;
	uint8_t first[EP_PLAN_MAX_EVENTS]; /* (n_first) events that begin each of its groups */
	uint32_t n_first;
	bool has_group; /* one of the list is finished */
};

static bool add_event(const struct packing *packing, struct trial *trial, uint8_t event_idx)
{
	if (!try_event(packing->wanted->plan, trial, event_idx))
		return false;
	if (!packing->careful || trial_runs(trial))
		return true;
	ep_sys_close(trial->fds[--trial->n_events]);
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

/* A leader is counted even where the list has nothing else. */
static bool is_worth_a_group(const struct packing *packing, const struct trial *trial)
{
	const struct ep_event *events = packing->wanted->plan->events;

	return trial->n_events > trial->n_first ||
	       (trial->n_events && !packing->has_group &&
		       events[trial->events[0]].flags & EP_EVENT_LEADS);
}

static void finish_trial(struct packing *packing, struct trial *trial)
{
	packing->all_run = packing->all_run && (packing->careful || trial_runs(trial));
	packing->has_group = true;
	ep_plan_add_group(packing->wanted->plan, trial->events, trial->n_events);
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
			packing->careful ? "it opens but does not run here" :
					   "it does not fit beside the always-on events");
	}
	if (is_worth_a_group(packing, &trial))
		finish_trial(packing, &trial);
	close_trial(&trial);
}

/* Whether a hardware event of the list runs alone: any at once, or the first in its turn. */
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

static void note_taken(struct ep_plan *plan)
{
	ep_plan_note(plan, "no counter is free: the PMU is in use by another program; events are "
		"missing while it is");
}

static void pack_list(struct wanted *wanted, int group)
{
	struct packing packing = { .wanted = wanted, .group = group };
	struct ep_plan *plan = wanted->plan;
	uint32_t n_groups = plan->n_groups, n_slots = plan->n_slots;
	size_t notes_size = strlen(plan->notes);

	pack_events(&packing);
	if (packing.all_run)
		return;
	if (!one_runs(&packing, trial_runs, EP_PLAN_MAX_EVENTS)) {
		if (!one_runs(&packing, trial_gets_turn, 1))
			note_taken(plan);
		return;
	}
	plan->n_groups = n_groups;
	plan->n_slots = n_slots;
	plan->notes[notes_size] = '\0';
	packing.careful = true;
	pack_events(&packing);
}

/* Nothing but always-on events: one group. */
static void pack_always(struct wanted *wanted)
{
	struct packing packing = { .wanted = wanted, .group = -1, .all_run = true };
	struct trial trial = { 0 };

	find_first(&packing);
	begin_trial(&packing, &trial);
	if (trial.n_events)
		finish_trial(&packing, &trial);
	if (!packing.all_run && !one_runs(&packing, trial_gets_turn, 1))
		note_taken(wanted->plan);
}

static void pack_groups(struct wanted *wanted)
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
}

bool ep_perf_has_hardware(void)
{
	const struct ep_lead none = { 0 };
	struct ep_event event;
	struct ep_error err;
	int fd;

	if (ep_perf_encode("cycles", &event, &err))
		return false;
	fd = open_event(&event, -1);
	if (fd < 0 && !retry_user_only(&none, &event, &fd))
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
	ep_lead_find(EP_PERF_SYSFS, &wanted.lead);
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
		ep_sys_ioctl(counters->fds[0], PERF_EVENT_IOC_ENABLE, 0);
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
	.prepare = prepare,
	.open = open_counters,
	.start = start,
	.stop = stop,
	.close = close_counters,
};
