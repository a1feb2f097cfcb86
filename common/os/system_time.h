/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's system time by the kernel's account (getrusage), which is made at the scheduler's ticks. */
#ifndef EVPROF_COMMON_OS_SYSTEM_TIME_H
#define EVPROF_COMMON_OS_SYSTEM_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

/* Returns the system time in usage, in microseconds. */
uint64_t ep_system_time_of(const struct rusage *usage);

/* Returns the calling thread's system time in microseconds. Runs in signal handlers. */
uint64_t ep_system_time_us(void);

/* Tells whether a slice of slice_ns is far too long for its period, but not because of a system call: system_us, the
 * system time since the slice began or longer, is less than half of the excess. Then the clock's ticks could not be
 * delivered, or a virtual machine's host used the CPU and the kernel attributed that time to the thread, as Linux does
 * at times (docs/preload.md). Always false unless the excess is longer than some ticks of the slowest kernel, since the
 * account is made only at ticks. */
bool ep_system_time_is_short(uint64_t slice_ns, uint64_t period_ns, uint64_t system_us);

#endif
