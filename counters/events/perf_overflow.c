// SPDX-License-Identifier: BSD-3-Clause
#include "perf_overflow.h"

#include <linux/perf_event.h>
#include <stdint.h>

#include "common/os/sys.h"
#include "event.h"
#include "perf_attr.h"
#include "perf_door.h"

#define TRIAL_PERIOD 10000
#define TRIAL_ROUNDS 40000 /* rounds of some five instructions */
#define TRIAL_OVERFLOWS 4

/* Runs a loop and returns the event's count of it. period: occurrences until each overflow; 0: no overflows. The ioctl
 * request with its argument enables the event. Returns 0 if the event cannot be opened. */
static uint64_t count_loop(const struct ep_event *event, uint64_t period, unsigned long request,
	unsigned long argument)
{
	struct perf_event_attr attr = ep_perf_attr_of(event);
	uint64_t count = 0;
	int fd;

	attr.sample_period = period;
	attr.wakeup_events = 1;
	attr.disabled = 1;
	fd = ep_perf_door_open(&attr, 0, -1, -1);
	if (fd < 0)
		return 0;
	ep_sys_ioctl(fd, request, argument);
	for (volatile uint32_t i = 0; i < TRIAL_ROUNDS; i++)
		;
	ep_sys_read(fd, &count, sizeof(count));
	ep_sys_close(fd);
	return count;
}

/*
 * Counts the loop three times: without overflows, with an event that disables itself after some overflows, and with one
 * that overflows and stays enabled. The second event must stop early: without interrupts it goes on counting. (It takes
 * more than one overflow, since the kernel may notice one by chance when it is entered.) The third must count the whole
 * loop: QEMU 7.2's POWER9 has no interrupt, and its counter stops for good at the first overflow. QEMU's Arm CPUs
 * interrupt for the counter of cycles, but for others only when the kernel is entered.
 */
enum ep_overflow ep_perf_overflow_try(const struct ep_event *event)
{
	uint64_t all = count_loop(event, 0, PERF_EVENT_IOC_ENABLE, 0), some;

	if (all <= 2 * TRIAL_OVERFLOWS * TRIAL_PERIOD)
		return EP_OVERFLOW_UNKNOWN;
	some = count_loop(event, TRIAL_PERIOD, PERF_EVENT_IOC_REFRESH, TRIAL_OVERFLOWS);
	if (some < TRIAL_OVERFLOWS * TRIAL_PERIOD || some >= all / 4 * 3 ||
		count_loop(event, TRIAL_PERIOD, PERF_EVENT_IOC_ENABLE, 0) <= all / 10 * 9)
		return EP_OVERFLOW_SILENT;
	return EP_OVERFLOW_INTERRUPTS;
}

enum ep_overflow ep_perf_overflow_try_name(const char *name)
{
	struct ep_event event;

	if (ep_perf_encode(name, &event, NULL))
		return EP_OVERFLOW_UNKNOWN;
	event.exclude_kernel = event.exclude_hv = true;
	return ep_perf_overflow_try(&event);
}
