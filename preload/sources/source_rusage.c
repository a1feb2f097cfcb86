// SPDX-License-Identifier: BSD-3-Clause
/*
 * What the kernel tells every thread of itself: page faults and context switches (getrusage, without
 * any permission) and, where perf is permitted, migrations.
 *
 * The source without a PMU, rather than perf's software events of the same names: those need a
 * descriptor each, read 0 for what happens in the kernel when user mode only is permitted, and the
 * first and last user of each on the machine patch the kernel's code, 0.3 ms in every short process.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/resource.h>

#include "preload/events/perf_door.h"
#include "preload/events/suggest.h"
#include "preload/fds.h"
#include "preload/sys.h"
#include "preload/system_time.h"
#include "source.h"

#define NO_FIELD SIZE_MAX
#define FIELD(name) offsetof(struct rusage, name)

static const struct {
	const char *name;
	size_t offsets[2]; /* of the fields to add up; none: read from perf */
	bool is_default;
} columns[] = {
	{ "minor-faults", { FIELD(ru_minflt), NO_FIELD }, true },
	{ "major-faults", { FIELD(ru_majflt), NO_FIELD }, true },
	{ "context-switches", { FIELD(ru_nvcsw), FIELD(ru_nivcsw) }, true },
	{ "voluntary-switches", { FIELD(ru_nvcsw), NO_FIELD }, false },
	{ "involuntary-switches", { FIELD(ru_nivcsw), NO_FIELD }, false },
	{ "cpu-migrations", { NO_FIELD, NO_FIELD }, true },
};

#define N_COLUMNS (sizeof(columns) / sizeof(columns[0]))
#define MIGRATIONS (N_COLUMNS - 1)

static int open_software(uint64_t config)
{
	struct perf_event_attr attr;

	if (ep_fds_are_scarce())
		return -EMFILE;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = config;
	return ep_perf_door_open(&attr, 0, -1, -1);
}

/* By the event that counts nothing, which needs the same permission: migrations themselves patch the
 * kernel's code when their first user on the machine comes and when the last goes, 65 us each. */
static int probe_migrations(void)
{
	int fd = open_software(PERF_COUNT_SW_DUMMY);

	if (fd >= 0)
		ep_sys_close(fd);
	return fd < 0 ? fd : 0;
}

/* Another error than the level's own is a filter's, or a kernel's without perf: doctor finds out. */
static const char *explain(int error)
{
	switch (error) {
	case -EMFILE:
		return "the program may open few files, and needs them itself";
	case -EACCES:
		return "perf_event_paranoid does not permit it";
	default:
		return "perf_event_open is refused; see evprof doctor";
	}
}

static void add_column(struct ep_plan *plan, uint32_t column)
{
	struct ep_event event = { .flags = EP_EVENT_ALWAYS | EP_EVENT_SOFTWARE, .unit = "count",
		.column = column };
	int rc = column == MIGRATIONS ? probe_migrations() : 0;

	if (rc) {
		ep_plan_note_event(plan, columns[column].name, explain(rc));
		return;
	}
	strcpy(event.name, columns[column].name);
	ep_plan_add_event(plan, &event);
}

static int want_column(const char *name, int group, void *argument)
{
	struct ep_plan *plan = argument;

	(void)group;
	for (uint32_t i = 0; i < N_COLUMNS; i++) {
		if (!ep_name_equal(name, columns[i].name))
			continue;
		if (!ep_plan_has_column(plan, i))
			add_column(plan, i);
		return 0;
	}
	ep_plan_note(plan, "event '%s' is not counted: the source rusage has minor-faults, "
		"major-faults, context-switches, voluntary-switches, involuntary-switches and "
		"cpu-migrations", name);
	return 0;
}

static int prepare(struct ep_plan *plan, const struct ep_settings *settings, struct ep_error *err)
{
	uint8_t events[N_COLUMNS];

	if (settings->events[0])
		ep_plan_split(settings->events, want_column, plan);
	for (uint32_t i = 0; i < N_COLUMNS && !settings->events[0]; i++)
		if (columns[i].is_default)
			add_column(plan, i);
	if (!plan->n_events)
		return ep_fail(err, -ENOENT, "none of the events can be counted: %s", plan->notes);
	for (uint32_t i = 0; i < plan->n_events; i++)
		events[i] = i;
	return ep_plan_add_group(plan, events, plan->n_events);
}

static int open_counters(struct ep_counters *counters, uint32_t first_group)
{
	int fd;

	(void)first_group;
	counters->is_open = true;
	counters->fds[0] = -1;
	counters->base_switches = UINT64_MAX;
	for (uint32_t i = 0; i < counters->plan->n_events; i++) {
		if (counters->plan->events[i].column != MIGRATIONS)
			continue;
		counters->base[i] = 0;
		fd = open_software(PERF_COUNT_SW_CPU_MIGRATIONS);
		if (fd >= 0 && ep_fds_lift(fd, &counters->fds[0]) >= 0)
			ep_sys_ioctl(counters->fds[0], PERF_EVENT_IOC_ID,
				(unsigned long)&counters->ids[0]);
	}
	return 0;
}

/* Only from a descriptor that is still ours: reading the program's file would eat its data. */
static uint64_t read_migrations(const struct ep_counters *counters)
{
	uint64_t id = 0, value = 0;

	if (counters->fds[0] >= 0 &&
		!ep_sys_ioctl(counters->fds[0], PERF_EVENT_IOC_ID, (unsigned long)&id) &&
		id == counters->ids[0])
		ep_sys_read(counters->fds[0], &value, sizeof(value));
	return value;
}

static uint64_t add_fields(const struct rusage *usage, const size_t *offsets)
{
	uint64_t sum = 0;

	for (int i = 0; i < 2 && offsets[i] != NO_FIELD; i++) {
		long value;

		memcpy(&value, (const char *)usage + offsets[i], sizeof(value));
		sum += value;
	}
	return sum;
}

/* All but migrations. */
static struct rusage take_usage(const struct ep_counters *counters, uint64_t *values)
{
	const struct ep_plan *plan = counters->plan;
	struct rusage usage;

	ep_sys(__NR_getrusage, RUSAGE_THREAD, &usage);
	for (uint32_t i = 0; i < plan->n_events; i++)
		if (plan->events[i].column != MIGRATIONS)
			values[i] = add_fields(&usage, columns[plan->events[i].column].offsets);
	return usage;
}

/* Asking costs two system calls, some 0.5 us; but only a thread that is off its CPU can be moved to
 * another, and being off is a context switch. */
static uint64_t migrations_at(struct ep_counters *counters, uint32_t i, uint64_t switches)
{
	if (switches != counters->base_switches)
		counters->base[i] = read_migrations(counters);
	return counters->base[i];
}

/* What the handler did itself is left out, but for migrations: those go on from where the slice
 * before ended. */
static void start(struct ep_counters *counters, uint32_t group)
{
	struct rusage usage = take_usage(counters, counters->base);

	(void)group;
	counters->system_us = ep_system_time_of(&usage);
}

static void stop(struct ep_counters *counters, uint32_t group, bool is_remote,
	struct ep_slice_counts *out)
{
	uint32_t n = counters->plan->groups[group].n_events;
	struct rusage usage;
	uint64_t switches;

	out->did_run = !is_remote; /* only a thread itself can ask */
	out->enabled_ns = out->running_ns = 0;
	if (is_remote)
		return;
	usage = take_usage(counters, out->values);
	switches = (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t base = counters->base[i];

		if (counters->plan->events[i].column == MIGRATIONS)
			out->values[i] = migrations_at(counters, i, switches);
		out->values[i] = out->values[i] > base ? out->values[i] - base : 0;
	}
	counters->base_switches = switches;
}

static void close_counters(struct ep_counters *counters)
{
	ep_fds_close(&counters->fds[0]);
	counters->is_open = false;
}

const struct ep_source ep_source_rusage = {
	.name = "rusage",
	.prepare = prepare,
	.open = open_counters,
	.start = start,
	.stop = stop,
	.close = close_counters,
};
