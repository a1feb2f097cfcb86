/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_PRELOAD_PROCESS_ASYNC_FDS_H
#define EVPROF_PRELOAD_PROCESS_ASYNC_FDS_H

#include <stdbool.h>

/* Returns true where one of the program's descriptors asks for SIGIO, so that this signal may be the program's own. A
 * tick that finds no room in the user's queue of real-time signals comes as SIGIO, which does not tell whether it is a
 * tick. This matters at the start, while the cost of a tick is measured, and after a thread's last slice as well. Runs
 * in signal handlers. */
bool ep_program_has_async(void);

#endif
