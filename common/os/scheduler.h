/* SPDX-License-Identifier: BSD-3-Clause */
/* The scheduler's ticks as a clock. Used while a process starts. */
#ifndef EVPROF_COMMON_OS_SCHEDULER_H
#define EVPROF_COMMON_OS_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the time between two ticks of the scheduler in ns. */
uint64_t ep_scheduler_tick_ns(void);

/* For periods below this one evprof's own ticks are used, if they are cheap enough: the scheduler's ticks would be too
 * coarse. */
#define EP_SCHEDULER_SHORTEST_NS 4000000

/* Returns the shortest period in ns for which a timer of CPU time is used: two ticks of the scheduler, since a period
 * of one tick could not vary, and at least EP_SCHEDULER_SHORTEST_NS. UINT64_MAX: no such timer is used, since it would
 * interrupt system calls, or since some CPUs may have no ticks. */
uint64_t ep_scheduler_periods_from_ns(void);

/* Tells whether the kernel expires timers of CPU time when a thread returns to user mode, so that they interrupt no
 * system call. Linux does so since 5.9 on x86-64 (commit 1fb497dd0030), and since 6.1 or earlier on arm64. machine and
 * release: texts from uname(2). */
bool ep_scheduler_timers_wait(const char *machine, const char *release);

#endif
