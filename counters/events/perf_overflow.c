// SPDX-License-Identifier: BSD-3-Clause
#include "perf_overflow.h"

#include <linux/perf_event.h>
#include <stdint.h>

#include "common/os/sys.h"
#include "event.h"
#include "perf_attr.h"
#include "perf_door.h"

#define TRIAL_PERIOD 10000
#define TRIAL_ROUNDS 40000 /* of some five instructions */

/* Counts a loop by an event of this period (0: without overflows) that request, with its argument,
 * switches on; 0 where that fails. */
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

/* A sampling event switches itself off after its first overflow when one alone is asked for: where no
 * interrupt comes, it goes on counting. Left on, it must count all: QEMU's POWER9 stops for good at
 * the first overflow. */
static bool interrupts_and_goes_on(const struct ep_event *event)
{
	uint64_t all = count_loop(event, 0, PERF_EVENT_IOC_ENABLE, 0);
	uint64_t one = count_loop(event, TRIAL_PERIOD, PERF_EVENT_IOC_REFRESH, 1);

	return all > 4 * TRIAL_PERIOD && one >= TRIAL_PERIOD && one < all / 2 &&
	       count_loop(event, TRIAL_PERIOD, PERF_EVENT_IOC_ENABLE, 0) > all / 10 * 9;
}

bool ep_perf_interrupts(void)
{
	struct ep_event event;

	if (ep_perf_encode("instructions", &event, NULL))
		return false;
	event.exclude_kernel = event.exclude_hv = true;
	return interrupts_and_goes_on(&event);
}
