// SPDX-License-Identifier: BSD-3-Clause
/* perf events of PMUs whose cpumask says which CPU reads each of their units. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "common/os/fds.h"
#include "common/os/sys.h"
#include "counters/events/perf_attr.h"
#include "counters/events/perf_door.h"
#include "counters/events/perf_sysfs.h"
#include "machine_reader.h"

#define MOST_UNITS 64 /* numbers of PMUs that are tried */
#define MIB 1048576.
#define LINE 64. /* bytes that a burst of memory moves */

/* The first kind that a machine has counts. Free-running counters come first: nobody can take them.
 * The .scale of an alias makes J or MiB of a count. Codes without alias: AMD's performance monitor
 * counters of the memory controller (PPR for family 19h model 11h, UMC: CAS commands), each a line. */
static const struct kind {
	enum ep_machine_time what;
	const char *pmu;   /* with %u: a number stands there */
	const char *event; /* alias, or its fields */
	double unit;
} kinds[] = {
	{ EP_MACHINE_PACKAGE_UJ, "power", "energy-pkg", 1e6 },
	{ EP_MACHINE_MEMORY_UJ, "power", "energy-ram", 1e6 },
	{ EP_MACHINE_READ_BYTES, "uncore_imc_free_running_%u", "data_read", MIB },
	{ EP_MACHINE_READ_BYTES, "uncore_imc_free_running_%u", "read", MIB },
	{ EP_MACHINE_READ_BYTES, "uncore_imc_free_running", "data_read", MIB },
	{ EP_MACHINE_READ_BYTES, "uncore_imc_%u", "cas_count_read", MIB },
	{ EP_MACHINE_READ_BYTES, "uncore_imc", "data_reads", MIB },
	{ EP_MACHINE_READ_BYTES, "amd_umc_%u", "event=0xa,rdwrmask=0x1", LINE },
	{ EP_MACHINE_WRITTEN_BYTES, "uncore_imc_free_running_%u", "data_write", MIB },
	{ EP_MACHINE_WRITTEN_BYTES, "uncore_imc_free_running_%u", "write", MIB },
	{ EP_MACHINE_WRITTEN_BYTES, "uncore_imc_free_running", "data_write", MIB },
	{ EP_MACHINE_WRITTEN_BYTES, "uncore_imc_%u", "cas_count_write", MIB },
	{ EP_MACHINE_WRITTEN_BYTES, "uncore_imc", "data_writes", MIB },
	{ EP_MACHINE_WRITTEN_BYTES, "amd_umc_%u", "event=0xa,rdwrmask=0x2", LINE },
};

struct pmu_unit {
	char folder[96]; /* of the PMUs */
	char pmu[64];
};

static bool read_file(const struct pmu_unit *unit, const char *name, char *out, size_t size)
{
	char path[320];

	snprintf(path, sizeof(path), "%s/%s/%s", unit->folder, unit->pmu, name);
	return ep_sys_read_file(path, out, size) > 0;
}

/* 0: there is no such event; 1 for fields, whose kind knows what they are worth. */
static double scale_of(const struct pmu_unit *unit, const struct kind *kind)
{
	char name[96], text[64];

	if (strchr(kind->event, '='))
		return kind->unit;
	snprintf(name, sizeof(name), "events/%s.scale", kind->event);
	return read_file(unit, name, text, sizeof(text)) ? kind->unit * strtod(text, NULL) : 0;
}

static int open_on(const struct ep_event *encoded, int cpu, struct ep_machine_event *out)
{
	struct perf_event_attr attr = ep_perf_attr_of(encoded);
	int fd;

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = ep_perf_door_open(&attr, -1, cpu, -1);
	if (fd >= 0)
		fd = ep_fds_lift(fd, &out->fd);
	if (fd >= 0)
		ep_sys_ioctl(fd, PERF_EVENT_IOC_ID, (unsigned long)&out->id);
	return fd < 0 ? fd : 0;
}

/* "0,28" or "0-1": one event for each. */
static int open_on_all(
	struct ep_machine_reader *reader, const struct ep_machine_event *made,
	const struct ep_event *encoded, const char *cpus)
{
	int rc = 0;

	while (!rc && *cpus >= '0' && *cpus <= '9') {
		char *end;
		long first = strtol(cpus, &end, 10), last = first;

		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		for (long cpu = first; !rc && cpu <= last; cpu++) {
			struct ep_machine_event *event = &reader->events[reader->n_events];

			if (reader->n_events == EP_MACHINE_MAX_EVENTS)
				return -E2BIG;
			*event = *made;
			rc = open_on(encoded, (int)cpu, event);
			reader->n_events += !rc;
		}
		cpus = *end == ',' ? end + 1 : end;
	}
	return rc;
}

/* 1: the unit is not there. */
static int open_unit(
	struct ep_machine_reader *reader, const struct pmu_unit *unit, const struct kind *kind)
{
	struct ep_machine_event made = { .what = kind->what, .fd = -1 };
	struct ep_event encoded = { .flags = 0 };
	char name[192], cpus[256];

	made.scale = scale_of(unit, kind);
	snprintf(name, sizeof(name), "%s/%s/", unit->pmu, kind->event);
	if (made.scale <= 0 || ep_perf_sysfs_encode(unit->folder, name, &encoded, NULL))
		return 1;
	if (!read_file(unit, "cpumask", cpus, sizeof(cpus)))
		return 1;
	return open_on_all(reader, &made, &encoded, cpus);
}

static void drop_from(struct ep_machine_reader *reader, uint32_t first)
{
	while (reader->n_events > first)
		ep_fds_close(&reader->events[--reader->n_events].fd);
}

static void explain(struct ep_machine_reader *reader, const struct kind *kind, int error)
{
	char level[16] = "?";
	char *out = reader->why_not[kind->what];
	size_t size = sizeof(reader->why_not[0]);

	if (error != -EACCES && error != -EPERM) {
		snprintf(out, size, "the kernel refuses %.40s: %s", kind->event,
			error == -E2BIG ? "too many units" : strerror(-error));
		return;
	}
	if (ep_sys_read_file("/proc/sys/kernel/perf_event_paranoid", level, sizeof(level)) > 0)
		level[strcspn(level, "\n")] = '\0';
	snprintf(out, size,
		"counters of the whole machine are not permitted: kernel.perf_event_paranoid is %s, and 0 or CAP_PERFMON is needed",
		level);
}

static void open_kind(
	struct ep_machine_reader *reader, const char *root, const struct kind *kind)
{
	struct pmu_unit unit;
	uint32_t first = reader->n_events;
	bool is_one = !strchr(kind->pmu, '%');
	int rc = 0, n_units = 0;

	snprintf(unit.folder, sizeof(unit.folder), "%s" EP_PERF_SYSFS, root);
	for (unsigned i = 0; rc >= 0 && i < (is_one ? 1 : MOST_UNITS); i++) {
		const char *number = strchr(kind->pmu, '%');

		if (is_one)
			snprintf(unit.pmu, sizeof(unit.pmu), "%s", kind->pmu);
		else
			snprintf(unit.pmu, sizeof(unit.pmu), "%.*s%u",
				(int)(number - kind->pmu), kind->pmu, i);
		rc = open_unit(reader, &unit, kind);
		n_units += rc == 0;
	}
	if (rc < 0) {
		explain(reader, kind, rc);
		drop_from(reader, first); /* a part of the machine is not the machine */
	}
	reader->is_read[kind->what] = rc >= 0 && n_units;
}

void ep_machine_events_open(struct ep_machine_reader *reader, const char *root, bool wants_traffic)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		bool is_traffic = kinds[i].what == EP_MACHINE_READ_BYTES ||
				  kinds[i].what == EP_MACHINE_WRITTEN_BYTES;

		if (!reader->is_read[kinds[i].what] && (wants_traffic || !is_traffic))
			open_kind(reader, root, &kinds[i]);
	}
}

/* A descriptor that the program closed behind our back may be its own file by now. */
static bool is_ours(const struct ep_machine_event *event)
{
	uint64_t id = 0;

	return event->fd >= 0 &&
	       !ep_sys_ioctl(event->fd, PERF_EVENT_IOC_ID, (unsigned long)&id) && id == event->id;
}

void ep_machine_events_read(struct ep_machine_reader *reader, struct ep_machine_times *times)
{
	for (uint32_t i = 0; i < reader->n_events; i++) {
		const struct ep_machine_event *event = &reader->events[i];
		uint64_t values[3]; /* count, ns enabled, ns running */

		if (!is_ours(event) ||
			ep_sys_read(event->fd, values, sizeof(values)) != sizeof(values) ||
			!values[2]) {
			reader->is_read[event->what] = false;
			continue;
		}
		/* others may have had the counter for a part of the time */
		double part = (double)values[1] / (double)values[2];

		ep_machine_times_add(times, event->what,
			(uint64_t)((double)values[0] * part * event->scale + 0.5));
	}
}

void ep_machine_events_close(struct ep_machine_reader *reader)
{
	drop_from(reader, 0);
}
