/* SPDX-License-Identifier: BSD-3-Clause */
/* The scheduler's ticks as a clock. While a process starts. */
#ifndef EVPROF_COMMON_OS_SCHEDULER_H
#define EVPROF_COMMON_OS_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

/* Time between two ticks of the scheduler, ns. */
uint64_t ep_scheduler_tick_ns(void);

/* Where ticks of one's own are so cheap that shorter periods will do, those are better, being finer. */
#define EP_SCHEDULER_SHORTEST_NS 4000000

/* The shortest period, ns, that a timer of CPU time is to serve: two ticks, or they would be too few
 * to vary, and EP_SCHEDULER_SHORTEST_NS at least. UINT64_MAX where such a timer cuts system calls short, or where CPUs go without ticks. */
uint64_t ep_scheduler_periods_from_ns(void);

/* Does the kernel expire timers of CPU time when a thread goes back to user mode, so that they cut no
 * system call short? Since Linux 5.9 on x86-64 (commit 1fb497dd0030), 6.1 or before on arm64. As
 * uname(2) tells them. */
bool ep_scheduler_timers_wait(const char *machine, const char *release);

#endif
