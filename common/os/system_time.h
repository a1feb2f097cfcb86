/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's system time, by the kernel's account of the scheduler's ticks (getrusage). */
#ifndef EVPROF_COMMON_OS_SYSTEM_TIME_H
#define EVPROF_COMMON_OS_SYSTEM_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

/* In microseconds. */
uint64_t ep_system_time_of(const struct rusage *usage);

/* The calling thread's. Signal handlers. */
uint64_t ep_system_time_us(void);

/* Whether a slice of slice_ns, which began system_us or more of system time ago, is far too long for
 * its period and the kernel's account does not show that a system call was: less than half of what
 * is too much. The clock could not be heard, or the host of a virtual machine had the CPU meanwhile and
 * the kernel charged the thread for it, as Linux at times does (docs/preload.md). Only of slices that
 * some ticks of the slowest kernel fit in. */
bool ep_system_time_is_short(uint64_t slice_ns, uint64_t period_ns, uint64_t system_us);

#endif
