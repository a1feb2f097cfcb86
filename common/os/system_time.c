// SPDX-License-Identifier: BSD-3-Clause
#include "system_time.h"

#include "slice_code.h"
#include "sys.h"

#define SOME_TICKS_NS 20000000 /* two ticks of the scheduler in a kernel with 100 ticks a second */

EP_SLICE_CODE uint64_t ep_system_time_of(const struct rusage *usage)
{
	return (uint64_t)usage->ru_stime.tv_sec * 1000000 + (uint64_t)usage->ru_stime.tv_usec;
}

uint64_t ep_system_time_us(void)
{
	struct rusage usage = { 0 };

	ep_sys(__NR_getrusage, RUSAGE_THREAD, &usage);
	return ep_system_time_of(&usage);
}

EP_SLICE_CODE bool ep_system_time_is_short(
	uint64_t slice_ns, uint64_t period_ns, uint64_t system_us)
{
	return slice_ns > period_ns + SOME_TICKS_NS &&
	       system_us < (slice_ns - period_ns) / 2 / 1000;
}
