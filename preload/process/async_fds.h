/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_PRELOAD_PROCESS_ASYNC_FDS_H
#define EVPROF_PRELOAD_PROCESS_ASYNC_FDS_H

#include <stdbool.h>

/* Returns true where one of the program's descriptors sends signals (O_ASYNC), so that a SIGIO may be the program's own:
 * the kernel also sends SIGIO where the signal of F_SETSIG finds no room in the queue. A tick that finds no room in the user's queue of real-time signals comes as SIGIO, which does not tell whether it is a
 * tick. This matters at the start, while the cost of a tick is measured, and after a thread's last slice as well. Runs
 * in signal handlers. */
bool ep_program_has_async(void);

#endif
