// SPDX-License-Identifier: BSD-3-Clause
/*
 * The floor: LD_PRELOAD=libempty_handler.so EMPTY_PERIOD_NS=N sends every thread that the constructor
 * runs in (the main one) a signal each N ns of its CPU time, and handles it by doing nothing.
 */
#include "clocks.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void do_nothing(int sig)
{
	(void)sig;
}

__attribute__((constructor)) static void begin(void)
{
	const char *period = getenv("EMPTY_PERIOD_NS");
	struct f_owner_ex owner = { F_OWNER_TID, (int)syscall(SYS_gettid) };
	struct perf_event_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	attr.sample_period = period ? strtoull(period, NULL, 10) : 1000000;
	attr.wakeup_events = 1;
	attr.disabled = 1;
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		abort();
	signal(SIGRTMIN + EMPTY_SIGNAL, do_nothing);
	fcntl(fd, F_SETOWN_EX, &owner);
	fcntl(fd, F_SETSIG, SIGRTMIN + EMPTY_SIGNAL);
	fcntl(fd, F_SETFL, O_ASYNC);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}
