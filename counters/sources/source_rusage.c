// SPDX-License-Identifier: BSD-3-Clause
/*
 * Counts from the kernel's account of each thread: page faults and context switches by getrusage, which needs no
 * permission, and migrations where perf is permitted.
 *
 * This is the source for machines without a PMU, rather than perf's software events of the same names: perf's events
 * need a descriptor each, and where only user mode is permitted they do not count what happens in the kernel. Also, the
 * first and the last user of each event on the machine make the kernel patch its code, which takes 0.3 ms in every
 * short process.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>

#include "common/cleanup.h"
#include "common/os/fds.h"
#include "common/os/file_limit.h"
#include "common/os/slice_code.h"
#include "common/os/sys.h"
#include "common/os/system_time.h"
#include "counters/events/perf_door.h"
#include "counters/events/suggest.h"
#include "source.h"

#define NO_FIELD SIZE_MAX
#define FIELD(name) offsetof(struct rusage, name)
#define MAX_UNREAD 64

static const struct {
	const char *name;
	size_t offsets[2]; /* fields whose sum is the count; two NO_FIELD: perf counts it */
	bool is_default;
} columns[] = {
	{ "minor-faults", { FIELD(ru_minflt), NO_FIELD }, true },
	{ "major-faults", { FIELD(ru_majflt), NO_FIELD }, true },
	{ "context-switches", { FIELD(ru_nvcsw), FIELD(ru_nivcsw) }, true },
	{ "voluntary-switches", { FIELD(ru_nvcsw), NO_FIELD }, false },
	{ "involuntary-switches", { FIELD(ru_nivcsw), NO_FIELD }, false },
	{ "cpu-migrations", { NO_FIELD, NO_FIELD }, true },
};

#define N_COLUMNS EP_ARRAY_SIZE(columns)
#define MIGRATIONS (N_COLUMNS - 1)

/* The plan's events with their fields. They fill one cache line, since the data are usually not in the cache when a
 * slice ends. */
static struct {
	uint8_t n;
	uint8_t migrations; /* index of migrations in events; N_COLUMNS: not counted */
	struct {
		/* two longs of struct rusage whose sum is the count; NO_LONG: no field */
		uint8_t field, other;
	} events[N_COLUMNS];
} counted;

#define NO_LONG UINT8_MAX

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

/* Finds out whether migrations can be counted, by an event that counts nothing and needs the same permission. An event
 * that counts migrations would make the kernel patch its code when the machine's first user of it begins and its last
 * one ends, 65 us each. */
static int probe_migrations(void)
{
	int fd = open_software(PERF_COUNT_SW_DUMMY);

	if (fd >= 0)
		ep_sys_close(fd);
	return fd < 0 ? fd : 0;
}

/* Returns the reason for an error. Errors that have no case here come from a filter, or from a kernel without perf;
 * evprof doctor finds out from which. */
static const char *explain(int error)
{
	switch (error) {
	case -EMFILE:
		return "the program may open only few files, and needs them itself";
	case -EACCES:
		return "perf_event_paranoid does not permit it";
	default:
		return "perf_event_open is refused; see evprof doctor";
	}
}

static void add_column(struct ep_plan *plan, uint32_t column)
{
	struct ep_event event = {
		.flags = EP_EVENT_ALWAYS | EP_EVENT_SOFTWARE, .unit = "count", .column = column
	};
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
	ep_plan_note(plan,
		"event '%s' is not counted: the source rusage has minor-faults, major-faults, context-switches, voluntary-switches, involuntary-switches and cpu-migrations",
		name);
	return 0;
}

static uint8_t long_of(size_t offset)
{
	return offset == NO_FIELD ? NO_LONG : (uint8_t)(offset / sizeof(long));
}

static int resume(struct ep_plan *plan, const struct ep_settings *settings, struct ep_error *err)
{
	(void)settings;
	if (plan->n_events > N_COLUMNS)
		return ep_fail(err, -EINVAL, "the trace names more events than rusage has");
	counted.n = plan->n_events;
	counted.migrations = N_COLUMNS;
	for (uint8_t i = 0; i < plan->n_events; i++) {
		uint32_t column = plan->events[i].column;

		if (column >= N_COLUMNS)
			return ep_fail(err, -EINVAL, "the trace's event '%s' is none of rusage's",
				plan->events[i].name);
		counted.events[i].field = long_of(columns[column].offsets[0]);
		counted.events[i].other = long_of(columns[column].offsets[1]);
		if (column == MIGRATIONS)
			counted.migrations = i;
	}
	return 0;
}

static int prepare(struct ep_plan *plan, const struct ep_settings *settings, struct ep_error *err)
{
	uint8_t events[N_COLUMNS];
	int rc;

	if (settings->events[0])
		ep_plan_split(settings->events, want_column, plan);
	for (uint32_t i = 0; i < N_COLUMNS && !settings->events[0]; i++)
		if (columns[i].is_default)
			add_column(plan, i);
	if (!plan->n_events)
		return ep_fail(err, -ENOENT, "none of the events can be counted: %s", plan->notes);
	for (uint32_t i = 0; i < plan->n_events; i++)
		events[i] = i;
	rc = resume(plan, settings, err);
	return rc ? rc : ep_plan_add_group(plan, events, plan->n_events);
}

/* Opens the event of migrations. To open and close it takes seven system calls, so a thread opens it only at its first
 * tick. The first thread of a program opens it before the program's own code runs, when the descriptor's number cannot
 * disturb the program. In the child of a fork the program's code already runs, so the first thread is treated like any
 * other. */
static void open_migrations(struct ep_counters *counters)
{
	int fd = open_software(PERF_COUNT_SW_CPU_MIGRATIONS);

	counters->is_begun = true;
	counters->base[counted.migrations] = 0;
	if (fd >= 0 && ep_fds_lift(fd, &counters->fds[0]) >= 0)
		ep_sys_ioctl(counters->fds[0], PERF_EVENT_IOC_ID, (unsigned long)&counters->ids[0]);
}

/* Returns the CPU on which this thread runs, by a system call: libc's function would load a page of code that a short
 * process needs for nothing else. */
static int present_cpu(void)
{
	unsigned cpu = 0;

	return ep_sys(__NR_getcpu, &cpu, NULL, NULL) ? -1 : (int)cpu;
}

static int open_counters(struct ep_counters *counters, uint32_t first_group)
{
	(void)first_group;
	counters->is_open = true;
	counters->is_begun = false;
	counters->fds[0] = -1;
	counters->n_switches = UINT64_MAX;
	counters->n_unread = 0;
	counters->cpu = counted.migrations == N_COLUMNS ? -1 : present_cpu();
	if (counters->is_first && !counters->is_forked && counted.migrations != N_COLUMNS)
		open_migrations(counters);
	return 0;
}

/* Returns the migrations up to the first tick: 1 if the thread is on another CPU than at its start, else 0. Then opens
 * the event, unless this may be the last slice, or a thread holds the limit of open files. */
static uint64_t first_migrations(struct ep_counters *counters, bool stayed_on_cpu)
{
	int cpu_before = counters->cpu;

	if (!stayed_on_cpu)
		counters->cpu = present_cpu();
	if (!counters->is_cut && !ep_file_limit_is_held())
		open_migrations(counters);
	return counters->cpu != cpu_before && cpu_before >= 0;
}

/* Reads the count if the descriptor is still evprof's: to read a file of the program would consume its data. */
static uint64_t read_migrations(const struct ep_counters *counters)
{
	uint64_t id = 0, value = 0;

	if (counters->fds[0] >= 0 &&
		!ep_sys_ioctl(counters->fds[0], PERF_EVENT_IOC_ID, (unsigned long)&id) &&
		id == counters->ids[0])
		ep_sys_read(counters->fds[0], &value, sizeof(value));
	return value;
}

static uint64_t long_at(const struct rusage *usage, uint8_t number)
{
	long value;

	if (number == NO_LONG)
		return 0;
	memcpy(&value, (const char *)usage + number * sizeof(value), sizeof(value));
	return value;
}

/* Reads all counts except migrations. Returns false where a sandbox forbids it. */
static EP_SLICE_CODE bool take_usage(struct rusage *usage, uint64_t *values)
{
	if (ep_sys(__NR_getrusage, RUSAGE_THREAD, usage))
		return false;
	for (uint8_t i = 0; i < counted.n; i++)
		if (i != counted.migrations)
			values[i] = long_at(usage, counted.events[i].field) +
				    long_at(usage, counted.events[i].other);
	return true;
}

/* Begins a slice. Unless the caller says that the counts may go on (goes_on), reads them again, to leave out what the
 * handler itself caused. Migrations continue from the end of the last slice. */
static EP_SLICE_CODE void start(struct ep_counters *counters, uint32_t group)
{
	struct rusage usage;

	(void)group;
	if (counters->goes_on)
		counters->system_us = counters->stopped_system_us;
	else if (take_usage(&usage, counters->base))
		counters->system_us = ep_system_time_of(&usage);
}

/* Changes values to the counts since the slice's start, and makes the present values the new base. Leaves migrations
 * alone. */
static EP_SLICE_CODE void subtract_base(struct ep_counters *counters, uint64_t *values)
{
	for (uint8_t i = 0; i < counted.n; i++) {
		uint64_t value = values[i];

		if (i == counted.migrations)
			continue;
		values[i] -= counters->base[i];
		counters->base[i] = value;
	}
}

/* Returns user and system time, whose sum is the thread's CPU clock (Linux kernel/sched/cputime.c, cputime_adjust). */
static EP_SLICE_CODE uint64_t cpu_ns_of(const struct rusage *usage)
{
	return ((uint64_t)usage->ru_utime.tv_sec + (uint64_t)usage->ru_stime.tv_sec) * 1000000000 +
	       ((uint64_t)usage->ru_utime.tv_usec + (uint64_t)usage->ru_stime.tv_usec) * 1000;
}

/* Tells whether migrations have to be read: the thread is on another CPU than before, or they were not read for many
 * slices, or this may be the last slice. A thread that stayed on its CPU cannot have migrated. */
static EP_SLICE_CODE bool may_have_moved(struct ep_counters *counters, bool stayed_on_cpu)
{
	int cpu_before = counters->cpu;

	if (!stayed_on_cpu) {
		counters->n_unread++;
		counters->cpu = sched_getcpu();
	}
	return counters->cpu != cpu_before || counters->cpu < 0 ||
	       counters->n_unread == MAX_UNREAD || (counters->is_cut && counters->n_unread);
}

/* Returns the migrations of a slice. To read them costs two system calls: 0.5 us, but 8 to 10 us where another program
 * had the CPU in between. A thread that is on the same CPU as before has rarely been on another one; if it has, the
 * count of a later slice includes these migrations. */
static EP_SLICE_CODE uint64_t migrations_at(struct ep_counters *counters, bool stayed_on_cpu)
{
	uint64_t *base = &counters->base[counted.migrations], before = *base;

	if (!counters->is_begun)
		return first_migrations(counters, stayed_on_cpu);
	if (!may_have_moved(counters, stayed_on_cpu))
		return 0;
	counters->n_unread = 0;
	*base = read_migrations(counters);
	return *base > before ? *base - before : 0;
}

/* Tells whether the thread has stayed on its CPU since the last stop: its number of context switches has not grown. */
static EP_SLICE_CODE bool stayed_on_cpu(struct ep_counters *counters, const struct rusage *usage)
{
	uint64_t n_before = counters->n_switches;

	counters->n_switches = (uint64_t)usage->ru_nvcsw + (uint64_t)usage->ru_nivcsw;
	return counters->n_switches == n_before;
}

static EP_SLICE_CODE void stop(
	struct ep_counters *counters, uint32_t group, bool is_remote, struct ep_slice_counts *out)
{
	struct rusage usage;

	(void)group;
	out->enabled_ns = out->running_ns = 0;
	/* getrusage has only the counts of the calling thread */
	out->did_run = !is_remote && take_usage(&usage, out->values);
	out->cpu_ns = 0;
	out->stayed_on_cpu = false;
	if (!out->did_run)
		return;
	out->cpu_ns = cpu_ns_of(&usage);
	out->stayed_on_cpu = stayed_on_cpu(counters, &usage);
	counters->stopped_system_us = ep_system_time_of(&usage);
	subtract_base(counters, out->values);
	if (counted.migrations != N_COLUMNS)
		out->values[counted.migrations] = migrations_at(counters, out->stayed_on_cpu);
}

static void close_counters(struct ep_counters *counters)
{
	ep_fds_close(&counters->fds[0]);
	counters->is_open = false;
}

const struct ep_source ep_source_rusage = {
	.name = "rusage",
	.tells_cpu_time = true,
	.prepare = prepare,
	.resume = resume,
	.open = open_counters,
	.start = start,
	.stop = stop,
	.close = close_counters,
};
