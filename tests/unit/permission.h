/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks the kernel which events this user may count here. */
#ifndef EVPROF_TESTS_UNIT_PERMISSION_H
#define EVPROF_TESTS_UNIT_PERMISSION_H

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

/* 0, or the error of opening a software event: by perf_event_paranoid EACCES, by a container's filter
 * mostly EPERM. */
static inline int software_event_error(unsigned long long config, bool user_only)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = config,
		.exclude_kernel = user_only,
		.exclude_hv = user_only };
	int fd = (int)syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

#endif
