// SPDX-License-Identifier: BSD-3-Clause
/* Encodes the events that the user asks for, tries each, and explains why one is refused. */
#include "perf_plan.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/os/large.h"
#include "common/os/sys.h"
#include "counters/events/perf_attr.h"
#include "counters/events/perf_door.h"
#include "counters/events/perf_overflow.h"
#include "counters/events/perf_sysfs.h"
#include "counters/events/suggest.h"

static const char default_software[] = "minor-faults,major-faults,context-switches,cpu-migrations";
static const char default_hardware[] =
	"cycles,instructions,branches,branch-misses,cache-references,cache-misses,L1-dcache-loads,L1-dcache-load-misses,dTLB-load-misses,iTLB-load-misses,stalled-cycles-frontend,stalled-cycles-backend";

#define MAX_GROUPS 32 /* the bits of ep_perf_wanted.group_masks */

/* Opens the event without the others of its group, except a leader that it must have. */
static int open_alone(const struct ep_lead *lead, const struct ep_event *event)
{
	struct ep_event leader = lead->slots;
	int leader_fd, fd;

	if (!(event->flags & EP_EVENT_LED))
		return ep_perf_open(event, 0, -1);
	leader.exclude_user = event->exclude_user;
	leader.exclude_kernel = event->exclude_kernel;
	leader.exclude_hv = event->exclude_hv;
	leader.exclude_guest = event->exclude_guest;
	leader_fd = ep_perf_open(&leader, 0, -1);
	if (leader_fd < 0)
		return leader_fd;
	fd = ep_perf_open(event, 0, leader_fd);
	ep_sys_close(leader_fd);
	return fd;
}

/* Opens an event that counts guests, too: PMUs that can exclude nothing refuse events that exclude guests
 * (PERF_PMU_CAP_NO_EXCLUDE of Linux). */
static int open_with_guests(const struct ep_lead *lead, struct ep_event *event)
{
	int fd;

	event->exclude_guest = false;
	fd = open_alone(lead, event);
	event->exclude_guest = fd == -EINVAL;
	return fd;
}

/* Opens the event in user mode only, where counting in the kernel is not permitted. If the PMU cannot exclude the
 * kernel, returns refusal, the error of the earlier attempt. */
static int open_user_only(const struct ep_lead *lead, struct ep_event *event, int refusal)
{
	int fd;

	event->exclude_kernel = event->exclude_hv = true;
	fd = open_alone(lead, event);
	return fd == -EINVAL ? refusal : fd;
}

/* Opens the event in a permitted mode, and sets this mode in the event. Returns a descriptor, or -errno. */
static int open_permitted(const struct ep_lead *lead, struct ep_event *event)
{
	int fd = open_alone(lead, event);

	if (fd == -EINVAL && event->exclude_guest)
		return open_with_guests(lead, event);
	return fd == -EACCES || fd == -EPERM ? open_user_only(lead, event, fd) : fd;
}

/* Tells whether the code is that of cycles or instructions, whatever their name. */
static bool is_fixed_code(const struct ep_event *event)
{
	static const uint64_t codes[] = {
#if defined(__x86_64__)
		0x3c,
		0xc0,
		0x76, /* the first is Intel's, the last AMD's code of cycles (PMCx076) */
#elif defined(__aarch64__)
		0x11,
		0x08,
#elif defined(__powerpc64__)
		0x1e,
		0x02,
		0x600f4,
		0x500fa,
		0x200f4,
		0x400fa,
#endif
	};

	if (event->type == PERF_TYPE_HARDWARE)
		return event->config == PERF_COUNT_HW_CPU_CYCLES ||
		       event->config == PERF_COUNT_HW_INSTRUCTIONS;
	for (size_t i = 0; i < EP_ARRAY_SIZE(codes); i++)
		if (event->type == PERF_TYPE_RAW && event->config == codes[i])
			return true;
	return false;
}

static bool is_fixed_name(const struct ep_event *event)
{
	static const char *const names[] = { "cycles", "cpu-cycles", "instructions", "CPU_CYCLES",
		"INST_RETIRED", "PM_RUN_CYC", "PM_RUN_INST_CMPL", "INST_RETIRED:ANY_P",
		"CPU_CLK_UNHALTED:THREAD_P", "UNHALTED_CORE_CYCLES", "INSTRUCTION_RETIRED" };
	const char *bare = strstr(event->name, "::") ? strstr(event->name, "::") + 2 : event->name;
	char name[EP_EVENT_NAME_BYTES];
	size_t size = strlen(bare);

	/* modifiers are not compared */
	while (size > 2 && strchr("ukh", bare[size - 1]))
		size--;
	size = size && bare[size - 1] == ':' ? size - 1 : strlen(bare);
	memcpy(name, bare, size);
	name[size] = '\0';
	for (size_t i = 0; i < EP_ARRAY_SIZE(names); i++)
		if (ep_name_equal(name, names[i]))
			return true;
	return false;
}

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

/* Tells whether an event counts for the whole machine: PMUs of memory controllers, shared caches and packages have a
 * file "cpumask" with the CPUs that read them. */
static bool is_of_machine(const char *name)
{
	char path[EP_EVENT_NAME_BYTES + 64], cpus[16];

	if (!ep_perf_sysfs_is(name))
		return false;
	snprintf(path, sizeof(path), "%s/%.*s/cpumask", EP_PERF_SYSFS, (int)strcspn(name, "/"),
		name);
	return ep_sys_read_file(path, cpus, sizeof(cpus)) > 0;
}

static const char *explain_open(const char *name, int error)
{
	if (is_of_machine(name))
		return "it counts for the whole machine, not for a thread";
	switch (error) {
	case -ENOENT:
	case -EOPNOTSUPP:
	case -ENODEV:
		return "this machine has no such counter";
	case -ENXIO: /* an extra register, such as that of OFFCORE_RESPONSE: x86_pmu_extra_regs() */
		return "this virtual machine lacks a register that it needs";
	case -EBUSY: /* x86_reserve_hardware() */
		return "something outside of Linux's perf events holds the PMU";
	case -EACCES:
		return explain_refusal();
	case -EPERM: /* mostly refused by a filter, and not by perf_event_paranoid */
		return "not permitted; see evprof doctor";
	case -EINVAL:
		return "the kernel does not take its code here";
	default:
		return strerror(-error);
	}
}

/* Finds an event of the plan by its name. The name may end with a code (NAME=rHEX), which the names in the plan do not
 * have. */
static int find_event(const struct ep_plan *plan, const char *name)
{
	for (uint32_t i = 0; i < plan->n_events; i++) {
		size_t size = strlen(plan->events[i].name);

		if (!strncmp(plan->events[i].name, name, size) &&
			(!name[size] || name[size] == '='))
			return i;
	}
	return -1;
}

static int want_event(const char *name, int group, void *argument)
{
	struct ep_perf_wanted *wanted = argument;
	int known = find_event(wanted->plan, name), fd;
	struct ep_error err;
	struct ep_event event;
	bool is_user_only;

	if (known < 0) {
		if (ep_perf_encode(name, &event, &err)) {
			ep_plan_note_event(wanted->plan, name, err.message);
			return 0;
		}
		event.flags |= ep_lead_flags(&wanted->lead, &event);
		is_user_only = event.exclude_kernel;
		fd = open_permitted(&wanted->lead, &event);
		if (fd < 0) {
			ep_plan_note_event(wanted->plan, event.name, explain_open(event.name, fd));
			return 0;
		}
		ep_sys_close(fd);
		wanted->user_only |= event.exclude_kernel && !is_user_only;
		if (is_fixed_name(&event) || event.type == PERF_TYPE_SOFTWARE)
			event.flags |= EP_EVENT_ALWAYS;
		if (event.type == PERF_TYPE_SOFTWARE)
			event.flags |= EP_EVENT_SOFTWARE;
		known = ep_plan_add_event(wanted->plan, &event);
		if (known < 0) {
			ep_plan_note(wanted->plan, "event '%s' is not counted: at most %d events",
				name, EP_PLAN_MAX_EVENTS);
			return 1;
		}
		wanted->group_masks[known] = 0;
	}
	if (group >= 0 && group < MAX_GROUPS)
		wanted->group_masks[known] |= 1u << group;
	else if (group >= 0 && !wanted->group_masks[known] &&
		 !(wanted->plan->events[known].flags & EP_EVENT_ALWAYS))
		ep_plan_note_event(wanted->plan, wanted->plan->events[known].name,
			"one run takes 32 groups, and its group is a later one");
	return 0;
}

/* Marks as always-on the events that each group names and that count cycles or instructions, whatever their names: a
 * model names such events in each of its groups. */
static void mark_always(struct ep_perf_wanted *wanted)
{
	uint32_t all = 0;

	for (uint32_t i = 0; i < wanted->plan->n_events; i++)
		all |= wanted->group_masks[i];
	for (uint32_t i = 0; all && i < wanted->plan->n_events; i++)
		if (wanted->group_masks[i] == all && is_fixed_code(&wanted->plan->events[i]))
			wanted->plan->events[i].flags |= EP_EVENT_ALWAYS;
}

bool ep_perf_has_hardware(void)
{
	const struct ep_lead none = { 0 };
	struct ep_event event;
	struct ep_error err;
	int fd;

	if (ep_perf_encode("cycles", &event, &err))
		return false;
	fd = open_permitted(&none, &event);
	if (fd < 0)
		return false;
	ep_sys_close(fd);
	return true;
}

/* Finds the kinds of cores for whose PMUs this kernel opens generic events. */
static void find_cores(void)
{
	struct ep_event event;

	ep_cores_find(EP_PERF_SYSFS, &ep_perf_cores);
	if (!ep_perf_cores.n_kinds || ep_perf_encode("cycles", &event, NULL))
		return;
	event.exclude_kernel = event.exclude_hv = true;
	for (uint32_t kind = 0; kind < ep_perf_cores.n_kinds; kind++) {
		int fd = ep_perf_open(&event, kind, -1);

		if (fd < 0) {
			ep_perf_cores.n_kinds = kind < 2 ? 0 : kind;
			return;
		}
		ep_sys_close(fd);
	}
}

/* Packs on cores of the first kind, since an event that does not run there is never counted. */
static void pack(struct ep_perf_wanted *wanted)
{
	struct ep_cores_stay stay;

	ep_cores_enter(&ep_perf_cores, &stay);
	ep_perf_pack(wanted);
	ep_cores_leave(&stay);
}

/* Notes which events count only on some cores. */
static void note_kinds(struct ep_plan *plan)
{
	for (uint32_t i = 0; i < plan->n_events; i++) {
		struct ep_event there;

		if (!ep_perf_cores.n_kinds ||
			!ep_cores_encode(&ep_perf_cores, 1, &plan->events[i], &there))
			continue;
		ep_plan_note(plan,
			"this machine has cores of several kinds (%s, %s): '%s' and what shares its groups is counted on one of them",
			ep_perf_cores.kinds[0].name, ep_perf_cores.kinds[1].name,
			plan->events[i].name);
		return;
	}
}

/* ---- events whose overflow can end a slice ---- */

/* Tells whether an event is a page fault. Page faults happen where the program accesses memory. Other software events
 * happen in the kernel, and when their signal comes, the program is far from the place that caused them. */
static bool is_page_fault(const struct ep_event *event)
{
	return event->type == PERF_TYPE_SOFTWARE &&
	       (event->config == PERF_COUNT_SW_PAGE_FAULTS ||
		       event->config == PERF_COUNT_SW_PAGE_FAULTS_MIN);
}

static bool is_of_core(const struct ep_event *event)
{
	return event->type == PERF_TYPE_HARDWARE || event->type == PERF_TYPE_HW_CACHE ||
	       event->type == PERF_TYPE_RAW;
}

static void try_trigger(struct ep_perf_wanted *wanted, struct ep_event *event)
{
	int fd;

	event->flags |= EP_EVENT_TICKS;
	fd = open_alone(&wanted->lead, event);
	if (fd >= 0)
		ep_sys_close(fd);
	else
		event->flags &= ~EP_EVENT_TICKS;
}

/* Tells whether an event's overflow interrupts. core is the result for instructions: if their overflow does not
 * interrupt, each event is tried by itself, since counters may differ (on QEMU's Arm). */
static bool interrupts(const struct ep_event *event, enum ep_overflow core)
{
	if (!is_of_core(event))
		return is_page_fault(event);
	return core == EP_OVERFLOW_INTERRUPTS ||
	       (core == EP_OVERFLOW_SILENT &&
		       ep_perf_overflow_try(event) == EP_OVERFLOW_INTERRUPTS);
}

static uint32_t n_core_events(const struct ep_plan *plan, uint32_t flags)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < plan->n_events; i++)
		n += is_of_core(&plan->events[i]) && (plan->events[i].flags & flags) == flags;
	return n;
}

/* Finds the events whose overflow can end slices. Leaves out Intel's slots and the metrics that slots leads, since
 * these must only count. Returns whether the overflow of instructions interrupts, or EP_OVERFLOW_INTERRUPTS if that
 * need not be tried. */
static enum ep_overflow find_triggers(
	struct ep_perf_wanted *wanted, const struct ep_settings *settings)
{
	enum ep_overflow core = EP_OVERFLOW_INTERRUPTS;

	if (settings->ticks == EP_TICKS_TIME)
		return core;
	if (n_core_events(wanted->plan, 0))
		core = ep_perf_overflow_try_name("instructions");
	for (uint32_t i = 0; i < wanted->plan->n_events; i++) {
		struct ep_event *event = &wanted->plan->events[i];

		if (!(event->flags & (EP_EVENT_LEADS | EP_EVENT_LED)) && interrupts(event, core))
			try_trigger(wanted, event);
	}
	return core;
}

/* Notes that only some hardware events, or none, can end slices, and what that means for the counts of procedures. */
static void note_silence(struct ep_plan *plan, enum ep_overflow core)
{
	uint32_t n = n_core_events(plan, EP_EVENT_TICKS);
	const struct ep_event *first = plan->events;

	if (!n) {
		ep_plan_note(plan,
			"no ticks by hardware events: %s. Slices end by CPU time alone, and counts of procedures that take turns within slices are mixed",
			core == EP_OVERFLOW_SILENT
				? "these counters do not interrupt the program when they overflow"
				: "the counters did not count when it was tried whether they interrupt");
		return;
	}
	while (!is_of_core(first) || !(first->flags & EP_EVENT_TICKS))
		first++;
	ep_plan_note(plan,
		"ticks by '%s'%s alone: the other counters do not interrupt the program when they overflow, and their counts of procedures that take turns within slices are mixed",
		first->name, n > 1 ? " and its like" : "");
}

static void note_triggers(
	struct ep_plan *plan, enum ep_overflow core, const struct ep_settings *settings)
{
	if (core != EP_OVERFLOW_INTERRUPTS) {
		if (n_core_events(plan, EP_EVENT_TICKS) < n_core_events(plan, 0))
			note_silence(plan, core);
	} else if (settings->ticks == EP_TICKS_EVENTS && !ep_plan_has_triggers(plan)) {
		ep_plan_note(plan,
			"no event that is counted can end slices here: its overflow does not interrupt the program; slices end by CPU time");
	}
}

int ep_perf_prepare(struct ep_plan *plan, const struct ep_settings *settings, struct ep_error *err)
{
	static EP_LARGE struct ep_perf_wanted wanted;
	const char *events = settings->events;
	enum ep_overflow core;

	memset(&wanted, 0, sizeof(wanted));
	wanted.plan = plan;
	find_cores();
	ep_lead_find(EP_PERF_SYSFS, &wanted.lead);
	if (!events[0])
		events = ep_perf_has_hardware() ? default_hardware : default_software;
	ep_plan_split(events, want_event, &wanted);
	mark_always(&wanted);
	core = find_triggers(&wanted, settings);
	pack(&wanted);
	if (!plan->n_groups)
		return ep_fail(
			err, -ENOENT, "none of the events can be counted here: %s", plan->notes);
	if (!settings->events[0] && events == default_hardware)
		plan->notes[0] = '\0'; /* the user did not ask for these events by name */
	note_kinds(plan);
	note_triggers(plan, core, settings);
	if (wanted.user_only)
		ep_plan_note(plan,
			"events count user mode only: perf_event_paranoid does not permit more");
	return 0;
}
