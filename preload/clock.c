// SPDX-License-Identifier: BSD-3-Clause
/* The slice clock, in the thread that it clocks. */
#include "clock.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "fds.h"
#include "preload/events/perf_door.h"
#include "sys.h"

#define F_SETSIG_COMMAND 10
#define F_SETOWN_EX_COMMAND 15
#define OWNER_TID 0

struct owner {
	int type;
	int pid;
};

/* The kernel's struct sigevent with SIGEV_THREAD_ID. */
struct kernel_sigevent {
	void *value;
	int signo;
	int notify;
	int tid;
	int padding[11];
};

const char *ep_clock_name(enum ep_clock_kind kind)
{
	static const char *const names[] = {
		[EP_CLOCK_NONE] = "none",
		[EP_CLOCK_TASK] = "task-clock",
		[EP_CLOCK_TASK_USER] = "task-clock:u",
		[EP_CLOCK_TIMER] = "thread-cputime",
	};

	return names[kind];
}

/* A program whose steps take as long as some slices would always be met in the same phases of them:
 * steps of three slices, a tenth of them in one procedure, gave that one from 7.6 to 12.5 % of a
 * thread's 1500 slices. Setting another length takes 12 us on a virtual machine, mostly to program the
 * timer anew, so that it stays for some slices; those sweep over a step where it is not in step. */
#define WIDTH 8 /* lengths are this part of the period longer or shorter, at most */

uint64_t ep_clock_next_length(uint64_t period_ns, uint64_t *chance)
{
	uint64_t width_ns = period_ns / WIDTH;

	/* Knuth's MMIX generator: its upper bits are the good ones */
	*chance = *chance * 6364136223846793005u + 1442695040888963407u;
	return period_ns - width_ns + (*chance >> 32) * (2 * width_ns) / UINT32_MAX;
}

static int open_task_clock(bool user_only, uint64_t length_ns)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	attr.sample_period = length_ns;
	attr.wakeup_events = 1;
	attr.disabled = 1;
	attr.exclude_kernel = user_only;
	attr.exclude_hv = user_only;
	return ep_perf_door_open(&attr, 0, -1, -1);
}

enum ep_clock_kind ep_clock_probe(bool with_kernel)
{
	static const enum ep_clock_kind kinds[] = { EP_CLOCK_TASK, EP_CLOCK_TASK_USER };

	for (size_t i = !with_kernel; i < sizeof(kinds) / sizeof(kinds[0]) && !ep_fds_are_scarce();
		i++) {
		int fd = open_task_clock(kinds[i] == EP_CLOCK_TASK_USER, 1000000000);

		if (fd < 0)
			continue;
		ep_sys_close(fd);
		return kinds[i];
	}
	return EP_CLOCK_TIMER;
}

static int start_task_clock(struct ep_clock *clock, uint64_t length_ns)
{
	struct owner owner = { OWNER_TID, ep_sys_gettid() };
	int fd = open_task_clock(clock->kind == EP_CLOCK_TASK_USER, length_ns);

	if (fd < 0)
		return fd;
	fd = ep_fds_lift(fd, &clock->fd);
	if (fd < 0)
		return fd;
	if (ep_sys_fcntl(fd, F_SETOWN_EX_COMMAND, (unsigned long)&owner) ||
		ep_sys_fcntl(fd, F_SETSIG_COMMAND, EP_SLICE_SIGNAL) ||
		ep_sys_fcntl(fd, F_SETFL, O_RDONLY | O_ASYNC) ||
		ep_sys_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)) {
		ep_fds_close(&clock->fd);
		return -EIO;
	}
	return 0;
}

static void set_timer(int timer, uint64_t length_ns)
{
	struct itimerspec spec = {
		.it_interval = { length_ns / 1000000000, length_ns % 1000000000 },
		.it_value = { length_ns / 1000000000, length_ns % 1000000000 },
	};

	ep_sys(__NR_timer_settime, timer, 0, &spec, NULL);
}

static int start_timer(struct ep_clock *clock, uint64_t length_ns)
{
	struct kernel_sigevent event = {
		.signo = EP_SLICE_SIGNAL,
		.notify = 4, /* SIGEV_THREAD_ID */
		.tid = ep_sys_gettid(),
	};
	long rc = ep_sys(__NR_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &clock->timer);

	if (rc)
		return (int)rc;
	set_timer(clock->timer, length_ns);
	return 0;
}

/* Many threads, each with its groups' descriptors: the last ones find none left. */
static bool is_short(int error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENOMEM;
}

int ep_clock_open(struct ep_clock *clock, enum ep_clock_kind kind, uint64_t period_ns)
{
	uint64_t length_ns;
	int rc;

	*clock = (struct ep_clock){ kind, -1, -1, .period_ns = period_ns };
	clock->chance = (uint64_t)ep_sys_gettid();
	length_ns = ep_clock_next_length(period_ns, &clock->chance);
	rc = kind == EP_CLOCK_TIMER ? start_timer(clock, length_ns) :
				      start_task_clock(clock, length_ns);
	if (kind != EP_CLOCK_TIMER && is_short(rc)) {
		clock->kind = EP_CLOCK_TIMER;
		rc = start_timer(clock, length_ns);
	}
	if (rc)
		clock->kind = EP_CLOCK_NONE;
	return rc;
}

void ep_clock_vary(struct ep_clock *clock)
{
	uint64_t length_ns;

	if (clock->kind == EP_CLOCK_NONE || ++clock->n_ticks % EP_CLOCK_TICKS_OF_A_LENGTH)
		return;
	length_ns = ep_clock_next_length(clock->period_ns, &clock->chance);
	if (clock->kind == EP_CLOCK_TIMER)
		set_timer(clock->timer, length_ns);
	else
		ep_sys_ioctl(clock->fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&length_ns);
}

/* A child just forked may still hold a copy, which would keep the event going after our close. */
static void close_task_clock(struct ep_clock *clock)
{
	ep_sys_ioctl(clock->fd, PERF_EVENT_IOC_DISABLE, 0);
	ep_fds_close(&clock->fd);
}

void ep_clock_close(struct ep_clock *clock)
{
	if (clock->kind == EP_CLOCK_TIMER)
		ep_sys(__NR_timer_delete, clock->timer);
	else if (clock->kind != EP_CLOCK_NONE)
		close_task_clock(clock);
	ep_clock_forget(clock);
}

void ep_clock_forget(struct ep_clock *clock)
{
	clock->kind = EP_CLOCK_NONE;
	clock->fd = clock->timer = -1;
}
