// SPDX-License-Identifier: BSD-3-Clause
/* Opens perf events of PMUs that count for the whole machine. A PMU's file cpumask tells on which CPUs its counts are
 * read. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "common/cleanup.h"
#include "common/os/fds.h"
#include "common/os/sys.h"
#include "counters/events/perf_attr.h"
#include "counters/events/perf_door.h"
#include "counters/events/perf_sysfs.h"
#include "machine_reader.h"

#define MOST_UNITS 64 /* the most numbers of PMUs that are tried */
#define MOST_EVENTS 8 /* the most events of a kind in one PMU */
#define MIB 1048576.
#define LINE 64. /* bytes that a burst of memory moves */

/* The events for each value. The first kind that the machine has is used. Free-running counters come first, since no
 * other user can take them. The .scale of an alias converts a count to J or MiB. Where the kernel has no scale, the
 * unit is in bytes, from
 * - AMD's PPR for family 19h model 11h, UMC: CAS commands, each for a line;
 * - Linux' tools/perf/pmu-events, amdzen1 to amdzen3, nps1_die_to_dram: requests with data of all channels, each for a
 * line. The format distinguishes these data fabrics from later ones, whose codes differ;
 * - the same, power9/nest_metrics.json: a count is half of a line of 128 bytes;
 * - the same, arm/cmn/sys/cmn.json: requests that home nodes send to memory, each for a line. */
static const struct kind {
	enum ep_machine_time what;
	const char *pmu;    /* # stands for a number, ## for one of two digits */
	const char *events; /* aliases or fields, separated by +; # as in pmu */
	double unit;
	/* the contents of the file format/event; "": not checked; NULL: not checked, and each alias has a .scale */
	const char *format;
} kinds[] = {
	{ EP_MACHINE_PACKAGE_UJ, "power", "energy-pkg", 1e6, NULL },
	{ EP_MACHINE_MEMORY_UJ, "power", "energy-ram", 1e6, NULL },
	{ EP_MACHINE_READ_BYTES, "uncore_imc_free_running_#", "data_read", MIB, NULL },
	{ EP_MACHINE_READ_BYTES, "uncore_imc_free_running_#", "read", MIB, NULL },
	{ EP_MACHINE_READ_BYTES, "uncore_imc_free_running", "data_read", MIB, NULL },
	{ EP_MACHINE_READ_BYTES, "uncore_imc_#", "cas_count_read", MIB, NULL },
	{ EP_MACHINE_READ_BYTES, "uncore_imc", "data_reads", MIB, NULL },
	{ EP_MACHINE_READ_BYTES, "amd_umc_#", "event=0xa,rdwrmask=0x1", LINE, "" },
	{ EP_MACHINE_READ_BYTES, "nest_mcs##_imc",
		"PM_MCS##_128B_RD_DISP_PORT01+PM_MCS##_128B_RD_DISP_PORT23", LINE, "" },
	{ EP_MACHINE_WRITTEN_BYTES, "uncore_imc_free_running_#", "data_write", MIB, NULL },
	{ EP_MACHINE_WRITTEN_BYTES, "uncore_imc_free_running_#", "write", MIB, NULL },
	{ EP_MACHINE_WRITTEN_BYTES, "uncore_imc_free_running", "data_write", MIB, NULL },
	{ EP_MACHINE_WRITTEN_BYTES, "uncore_imc_#", "cas_count_write", MIB, NULL },
	{ EP_MACHINE_WRITTEN_BYTES, "uncore_imc", "data_writes", MIB, NULL },
	{ EP_MACHINE_WRITTEN_BYTES, "amd_umc_#", "event=0xa,rdwrmask=0x2", LINE, "" },
	{ EP_MACHINE_WRITTEN_BYTES, "nest_mcs##_imc",
		"PM_MCS##_128B_WR_DISP_PORT01+PM_MCS##_128B_WR_DISP_PORT23", LINE, "" },
	{ EP_MACHINE_MOVED_BYTES, "amd_df",
		"event=0x7,umask=0x38+event=0x47,umask=0x38+event=0x87,umask=0x38+"
		"event=0xc7,umask=0x38+event=0x107,umask=0x38+event=0x147,umask=0x38+"
		"event=0x187,umask=0x38+event=0x1c7,umask=0x38",
		LINE, "config:0-7,32-35,59-60" },
	{ EP_MACHINE_MOVED_BYTES, "arm_cmn_#", "hnf_mc_reqs", LINE, "" },
};

struct pmu_unit {
	char folder[96]; /* path of the PMUs' folder */
	char pmu[64];
	unsigned number;
};

static bool read_file(const struct pmu_unit *unit, const char *name, char *out, size_t size)
{
	char path[320];

	snprintf(path, sizeof(path), "%s/%s/%s", unit->folder, unit->pmu, name);
	return ep_sys_read_file(path, out, size) > 0;
}

/* Copies pattern with number in place of #. */
static void write_numbered(char *out, size_t size, const char *pattern, unsigned number)
{
	size_t n = 0;

	while (*pattern && n + 3 < size) {
		int digits = (int)strspn(pattern, "#");

		if (digits)
			n += (size_t)snprintf(out + n, size - n, "%0*u", digits, number);
		else
			out[n++] = *pattern;
		pattern += digits ? digits : 1;
	}
	out[n] = '\0';
}

/* Returns the factor from a count to the value's unit; 0: there is no such event. */
static double scale_of(const struct pmu_unit *unit, const struct kind *kind, const char *event)
{
	char name[96], text[64];

	if (kind->format)
		return kind->unit;
	snprintf(name, sizeof(name), "events/%s.scale", event);
	return read_file(unit, name, text, sizeof(text)) ? kind->unit * strtod(text, NULL) : 0;
}

static bool has_format(const struct pmu_unit *unit, const struct kind *kind)
{
	char text[64];

	if (!kind->format || !kind->format[0])
		return true;
	if (!read_file(unit, "format/event", text, sizeof(text)))
		return false;
	text[strcspn(text, "\n")] = '\0';
	return !strcmp(text, kind->format);
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

/* Opens the event on each CPU of a mask such as "0,28" or "0-1". */
static int open_on_all(struct ep_machine_reader *reader, const struct ep_machine_event *made,
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

/* The events of a kind in one unit. */
struct unit_events {
	uint32_t n_events;
	struct ep_event encoded[MOST_EVENTS];
	double scales[MOST_EVENTS];
};

/* Finds the unit's events. Returns false where the unit does not exist, or lacks one of them. */
static bool find_events(
	const struct pmu_unit *unit, const struct kind *kind, struct unit_events *out)
{
	char events[256], name[192], *rest = events;

	if (!has_format(unit, kind))
		return false;
	write_numbered(events, sizeof(events), kind->events, unit->number);
	out->n_events = 0;
	for (char *event; (event = strsep(&rest, "+")) && out->n_events < MOST_EVENTS;) {
		uint32_t i = out->n_events++;

		out->encoded[i] = (struct ep_event){ .flags = 0 };
		out->scales[i] = scale_of(unit, kind, event);
		snprintf(name, sizeof(name), "%s/%s/", unit->pmu, event);
		if (out->scales[i] <= 0 ||
			ep_perf_sysfs_encode(unit->folder, name, &out->encoded[i], NULL))
			return false;
	}
	return true;
}

/* Opens the kind's events in one unit. Returns 0; 1 where the unit does not exist; or a negative errno. */
static int open_unit(
	struct ep_machine_reader *reader, const struct pmu_unit *unit, const struct kind *kind)
{
	struct unit_events events;
	char cpus[256];
	int rc = 0;

	if (!find_events(unit, kind, &events) || !read_file(unit, "cpumask", cpus, sizeof(cpus)))
		return 1;
	for (uint32_t i = 0; !rc && i < events.n_events; i++) {
		struct ep_machine_event made = {
			.what = kind->what, .fd = -1, .scale = events.scales[i]
		};

		rc = open_on_all(reader, &made, &events.encoded[i], cpus);
	}
	return rc;
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
		snprintf(out, size, "the kernel refuses %.40s: %s", kind->events,
			error == -E2BIG ? "too many units" : strerror(-error));
		return;
	}
	if (ep_sys_read_file("/proc/sys/kernel/perf_event_paranoid", level, sizeof(level)) > 0)
		level[strcspn(level, "\n")] = '\0';
	snprintf(out, size,
		"counters of the whole machine are not permitted: kernel.perf_event_paranoid is %s, and 0 or CAP_PERFMON is needed",
		level);
}

static void open_kind(struct ep_machine_reader *reader, const char *root, const struct kind *kind)
{
	struct pmu_unit unit;
	uint32_t first = reader->n_events;
	bool is_one = !strchr(kind->pmu, '#');
	int rc = 0, n_units = 0;

	snprintf(unit.folder, sizeof(unit.folder), "%s" EP_PERF_SYSFS, root);
	for (unsigned i = 0; rc >= 0 && i < (is_one ? 1 : MOST_UNITS); i++) {
		unit.number = i;
		write_numbered(unit.pmu, sizeof(unit.pmu), kind->pmu, i);
		rc = open_unit(reader, &unit, kind);
		n_units += rc == 0;
	}
	if (rc < 0) {
		explain(reader, kind, rc);
		/* a sum that lacks some units would be taken for that of the whole machine */
		drop_from(reader, first);
	}
	reader->is_read[kind->what] = rc >= 0 && n_units;
}

void ep_machine_events_open(struct ep_machine_reader *reader, const char *root, bool wants_traffic)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(kinds); i++) {
		bool is_traffic = kinds[i].what == EP_MACHINE_READ_BYTES ||
				  kinds[i].what == EP_MACHINE_WRITTEN_BYTES ||
				  kinds[i].what == EP_MACHINE_MOVED_BYTES;

		if (!reader->is_read[kinds[i].what] && (wants_traffic || !is_traffic))
			open_kind(reader, root, &kinds[i]);
	}
}

/* Tells whether the descriptor still belongs to the counter: the program may have closed it, and opened its own file
 * with the number. */
static bool is_ours(const struct ep_machine_event *event)
{
	uint64_t id = 0;

	return event->fd >= 0 && !ep_sys_ioctl(event->fd, PERF_EVENT_IOC_ID, (unsigned long)&id) &&
	       id == event->id;
}

/* Adds the counts since the last reading. Other users may have had the counter for a part of that time: the same rate
 * is assumed for that part, so that a sum never decreases. If the counter did not run at all, nothing is added, and the
 * next reading covers this time, too. */
static void count_on(struct ep_machine_event *event, const uint64_t values[3])
{
	uint64_t *last = event->last, running_ns = values[2] - last[2];

	if (!running_ns)
		return;
	event->sum += (double)(values[0] - last[0]) * event->scale *
		      ((double)(values[1] - last[1]) / (double)running_ns);
	memcpy(last, values, sizeof(event->last));
}

void ep_machine_events_read(struct ep_machine_reader *reader, struct ep_machine_times *times)
{
	bool has_not_run[EP_N_MACHINE_TIMES] = { false };

	for (uint32_t i = 0; i < reader->n_events; i++) {
		struct ep_machine_event *event = &reader->events[i];
		uint64_t values[3]; /* count, ns enabled, ns running */

		if (!is_ours(event) ||
			ep_sys_read(event->fd, values, sizeof(values)) != sizeof(values)) {
			reader->is_read[event->what] = false;
			continue;
		}
		count_on(event, values);
		has_not_run[event->what] |= !values[2];
		ep_machine_times_add(times, event->what, (uint64_t)(event->sum + 0.5));
	}
	for (int what = 0; what < EP_N_MACHINE_TIMES; what++)
		times->is_known[what] &= reader->is_read[what] && !has_not_run[what];
}

void ep_machine_events_close(struct ep_machine_reader *reader)
{
	drop_from(reader, 0);
}
