// SPDX-License-Identifier: BSD-3-Clause
/* Finds out whether the kernel has scheduler ticks that can be used as a clock, and suitable timers. */
#include "scheduler.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "common/cleanup.h"
#include "sys.h"

bool ep_scheduler_timers_wait(const char *machine, const char *release)
{
	static const struct {
		const char *machine;
		unsigned long major, minor;
	} since[] = { { "x86_64", 5, 9 }, { "aarch64", 6, 1 } };
	char *rest;
	unsigned long major = strtoul(release, &rest, 10);
	unsigned long minor = *rest == '.' ? strtoul(rest + 1, NULL, 10) : 0;

	for (size_t i = 0; i < EP_ARRAY_SIZE(since); i++)
		if (!strcmp(machine, since[i].machine))
			return major > since[i].major ||
			       (major == since[i].major && minor >= since[i].minor);
	return false;
}

/* Tells whether some CPUs may have no ticks (nohz_full): the kernel stops the ticks there while one thread runs, and a
 * timer of CPU time would start them again. */
static bool some_cpus_have_no_ticks(void)
{
	char cpus[2];

	if (ep_sys_read_file("/sys/devices/system/cpu/nohz_full", cpus, sizeof(cpus)) <= 0)
		return false;
	/* if all CPUs have ticks, the file has an empty line, or "(null)" */
	return cpus[0] >= '0' && cpus[0] <= '9';
}

uint64_t ep_scheduler_tick_ns(void)
{
	struct timespec tick = { 1, 0 };

	ep_sys(__NR_clock_getres, CLOCK_MONOTONIC_COARSE, &tick);
	return (uint64_t)tick.tv_sec * 1000000000 + (uint64_t)tick.tv_nsec;
}

uint64_t ep_scheduler_periods_from_ns(void)
{
	struct utsname system;
	uint64_t from_ns;

	if (uname(&system) || !ep_scheduler_timers_wait(system.machine, system.release) ||
		some_cpus_have_no_ticks())
		return UINT64_MAX;
	from_ns = 2 * ep_scheduler_tick_ns();
	return from_ns > EP_SCHEDULER_SHORTEST_NS ? from_ns : EP_SCHEDULER_SHORTEST_NS;
}
