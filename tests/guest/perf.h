/* SPDX-License-Identifier: BSD-3-Clause */
/* perf_event_open for the guest's own programs: thin, and nothing of evprof's in it. */
#ifndef EVPROF_TESTS_GUEST_PERF_H
#define EVPROF_TESTS_GUEST_PERF_H

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_EVENTS 32

/* The layout of a group read with both times. */
struct group_reading {
	uint64_t n_events;
	uint64_t enabled_ns, running_ns;
	uint64_t values[MAX_EVENTS];
};

static inline struct perf_event_attr perf_attr(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = type;
	attr.config = config;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	attr.read_format =
		PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return attr;
}

/* Returns the descriptor or a negative errno. */
static inline int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu, int leader_fd)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, leader_fd, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

#endif
