/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_PRELOAD_PROCESS_ASYNC_FDS_H
#define EVPROF_PRELOAD_PROCESS_ASYNC_FDS_H

#include <stdbool.h>

/* A tick that finds no room in the user's queue of real-time signals comes as SIGIO, which does not
 * tell whether it is a tick: at the start, while the cost of a tick is measured, and behind a
 * thread's last slice as well. SIGIO is the program's own where this returns true: one of its
 * descriptors asks for that signal. Signal handlers. */
bool ep_program_has_async(void);

#endif
