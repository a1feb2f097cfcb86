// SPDX-License-Identifier: BSD-3-Clause
/* A library that shows a program another time, as libfaketime does: a year later, and ten times as fast. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define YEAR_S (365 * 86400L)

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *out)
{
	static time_t begin_s[CLOCK_MONOTONIC + 1];
	int rc = (int)syscall(SYS_clock_gettime, clock, out);

	if (rc || clock < 0 || clock > CLOCK_MONOTONIC)
		return rc;
	if (!begin_s[clock])
		begin_s[clock] = out->tv_sec;
	out->tv_sec = begin_s[clock] + YEAR_S + 10 * (out->tv_sec - begin_s[clock]) +
		      out->tv_nsec / 100000000;
	out->tv_nsec = out->tv_nsec % 100000000 * 10;
	return 0;
}
