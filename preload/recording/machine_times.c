// SPDX-License-Identifier: BSD-3-Clause
/* Reads the counts of the machine and of the control group. Runs when the tree of processes starts and ends, and in
 * signal handlers. */
#include "machine_times.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "common/cleanup.h"
#include "common/os/cpu.h"
#include "common/os/cpu_quota.h"
#include "common/os/large.h"
#include "common/os/sys.h"
#include "counters/machine/machine_reader.h"
#include "recording.h"

enum { N_STAT_FIELDS = 8 }; /* the fields are user nice system idle iowait irq softirq steal */
enum { STAT_IDLE = 3, STAT_IOWAIT = 4, STAT_STEAL = 7 };

static bool reads_stat;
static EP_LARGE char group_path[4096 + 16]; /* "": the control group has no limit */

/* Reads blanks and a number; NULL: there is no number. */
static const char *take_number(const char *text, uint64_t *out_value)
{
	uint64_t value = 0;

	text += strspn(text, " ");
	if (*text < '0' || *text > '9')
		return NULL;
	while (*text >= '0' && *text <= '9')
		value = value * 10 + (uint64_t)(*text++ - '0');
	*out_value = value;
	return text;
}

static void add(struct ep_machine_times *times, enum ep_machine_time what, uint64_t value)
{
	times->is_known[what] = true;
	times->values[what] = value;
}

bool ep_machine_times_parse_stat(
	const char *text, uint64_t ticks_per_s, struct ep_machine_times *times)
{
	uint64_t fields[N_STAT_FIELDS], idle, all = 0;

	if (strncmp(text, "cpu ", 4) || !ticks_per_s)
		return false;
	text += 4;
	for (int i = 0; i < N_STAT_FIELDS; i++) {
		text = take_number(text, &fields[i]);
		if (!text)
			return false;
		all += fields[i];
	}
	idle = fields[STAT_IDLE] + fields[STAT_IOWAIT];
	add(times, EP_MACHINE_BUSY_US, (all - idle) * 1000000 / ticks_per_s);
	if (fields[STAT_STEAL]) /* 0: the kernel does not count this time, or the host never took any */
		add(times, EP_MACHINE_STOLEN_US, fields[STAT_STEAL] * 1000000 / ticks_per_s);
	return true;
}

/* Reads the number that follows "KEY " at the beginning of a line. */
static bool find_number(const char *text, const char *key, uint64_t *out_value)
{
	size_t size = strlen(key);

	while (text) {
		if (!strncmp(text, key, size) && text[size] == ' ')
			return take_number(text + size, out_value);
		text = strchr(text, '\n');
		text += text ? 1 : 0;
	}
	return false;
}

bool ep_machine_times_parse_group(const char *text, struct ep_machine_times *times)
{
	uint64_t n_periods, n_throttled, us;

	if (!find_number(text, "nr_periods", &n_periods) ||
		!find_number(text, "nr_throttled", &n_throttled))
		return false;
	add(times, EP_MACHINE_N_PERIODS, n_periods);
	add(times, EP_MACHINE_N_THROTTLED, n_throttled);
	if (find_number(text, "throttled_usec", &us))
		add(times, EP_MACHINE_THROTTLED_US, us);
	else if (find_number(text, "throttled_time", &us)) /* the name in version 1 */
		add(times, EP_MACHINE_THROTTLED_US, us / 1000);
	return true;
}

#define FEW_CPUS 16

/* Tells whether /proc/stat is read. It costs 12 us on 4 CPUs, and more with each further CPU. So on many CPUs it is
 * read only in a virtual machine, whose host may take CPU time. The instruction cpuid tells whether there is a host; in
 * a virtual machine it traps and takes 4 us. On other architectures than x86 the file is always read. */
static bool may_have_host(void)
{
#if defined(__x86_64__)
	uint32_t eax, ebx, ecx, edx;

	if (ep_cpu_count() <= FEW_CPUS)
		return true;
	__cpuid(1, eax, ebx, ecx, edx);
	return ecx >> 31; /* the bit is reserved for hypervisors, by Intel and AMD alike */
#else
	return true;
#endif
}

/* ---- energy and memory traffic ---- */

#define DUE_US 900000

static EP_LARGE struct ep_machine_reader reader;
static uint64_t read_us; /* when the reader was last read, in us since the process's birth */

/* Tells whether memory traffic is read: only for models that use it, since its counters are few and other profilers may
 * need them. */
static bool wants_traffic(void)
{
	static const char *const models[] = { "memory", "flops" };
	static const char *const ranks[] = { "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
		"MV2_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID" };
	bool is_asked = false;

	for (size_t i = 0; i < EP_ARRAY_SIZE(models); i++)
		is_asked |= strstr(ep_recording.settings.models, models[i]) != NULL;
	for (size_t i = 0; is_asked && i < EP_ARRAY_SIZE(ranks); i++) {
		const char *rank = getenv(ranks[i]);

		if (rank)
			return !strcmp(rank, "0"); /* only one process of each machine reads */
	}
	return is_asked;
}

bool ep_machine_times_has_amounts(void)
{
	return ep_machine_reader_has_any(&reader);
}

void ep_machine_times_after_fork(void)
{
	/* where nothing is read, nothing is written: a write in the child of a fork copies the page */
	if (reader.n_events || reader.n_files)
		reader.n_events = reader.n_files = 0;
}

static const char *reason_of(enum ep_machine_time what)
{
	return reader.is_read[what] ? "read" : reader.why_not[what];
}

/* ---- the block ---- */

void ep_machine_times_begin(void)
{
	const char *folder = ep_cpu_quota_folder();

	reads_stat = may_have_host();
	group_path[0] = '\0';
	if (folder[0])
		snprintf(group_path, sizeof(group_path), "%s/cpu.stat", folder);
	ep_machine_reader_open(&reader, "", wants_traffic());
	ep_recording_debug("energy of packages: %s", reason_of(EP_MACHINE_PACKAGE_UJ));
	if (wants_traffic())
		ep_recording_debug("memory traffic: %s", reason_of(EP_MACHINE_READ_BYTES));
}

void ep_machine_times_append(struct ep_wire *wire)
{
	struct ep_machine_times times = { .time_us = ep_recording_now_us() };
	char text[512];

	if (reads_stat && ep_sys_read_file("/proc/stat", text, sizeof(text)) > 0)
		ep_machine_times_parse_stat(text, getauxval(AT_CLKTCK), &times);
	if (group_path[0] && ep_sys_read_file(group_path, text, sizeof(text)) > 0)
		ep_machine_times_parse_group(text, &times);
	if (ep_machine_reader_has_any(&reader))
		ep_machine_reader_read(&reader, &times);
	read_us = times.time_us;
	ep_machine_times_encode(wire, ep_recording.key, &times);
}

void ep_machine_times_append_due(struct ep_wire *wire)
{
	if (ep_machine_reader_has_any(&reader) && ep_recording_now_us() - read_us >= DUE_US)
		ep_machine_times_append(wire);
}
