// SPDX-License-Identifier: BSD-3-Clause
/*
 * The floor: LD_PRELOAD=libempty_handler.so EMPTY_PERIOD_NS=N sends every thread that the
 * constructor runs in (the main one) a signal each N ns of its CPU time, and handles it by doing
 * nothing. With EMPTY_CLOCK=ticks the signals come by a timer that the scheduler's ticks serve:
 * they need no interrupt of their own, and there are no more of them than ticks.
 */
#include "clocks.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void do_nothing(int sig)
{
	(void)sig;
}

static void begin_event(uint64_t period_ns)
{
	struct f_owner_ex owner = { F_OWNER_TID, (int)syscall(SYS_gettid) };
	struct perf_event_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	attr.sample_period = period_ns;
	attr.wakeup_events = 1;
	attr.disabled = 1;
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		abort();
	fcntl(fd, F_SETOWN_EX, &owner);
	fcntl(fd, F_SETSIG, SIGRTMIN + EMPTY_SIGNAL);
	fcntl(fd, F_SETFL, O_ASYNC);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

static void begin_timer(uint64_t period_ns)
{
	struct timespec period = { (time_t)(period_ns / 1000000000),
		(long)(period_ns % 1000000000) };
	struct itimerspec times = { period, period };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID };
	timer_t timer;

	event.sigev_signo = SIGRTMIN + EMPTY_SIGNAL;
	event._sigev_un._tid = (int)syscall(SYS_gettid); /* sigev_notify_thread_id in the manual */
	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) ||
		timer_settime(timer, 0, &times, NULL))
		abort();
}

__attribute__((constructor)) static void begin(void)
{
	const char *period = getenv("EMPTY_PERIOD_NS"), *clock = getenv("EMPTY_CLOCK");
	uint64_t period_ns = period ? strtoull(period, NULL, 10) : 1000000;

	signal(SIGRTMIN + EMPTY_SIGNAL, do_nothing);
	if (clock && !strcmp(clock, "ticks"))
		begin_timer(period_ns);
	else
		begin_event(period_ns);
}
