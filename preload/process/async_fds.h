/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_PRELOAD_PROCESS_ASYNC_FDS_H
#define EVPROF_PRELOAD_PROCESS_ASYNC_FDS_H

#include <stdbool.h>

/* Returns true if one of the program's descriptors sends signals (O_ASYNC). A SIGIO may then be the program's own: the
 * descriptor sends SIGIO itself, or it sends another signal (F_SETSIG) for which the queue has no room, so that the
 * kernel sends SIGIO instead. Callers ask since a tick for which the user's queue of real-time signals has no room
 * comes as SIGIO, too, and such a SIGIO does not tell that it is a tick. Such ticks also come at the start, while the
 * cost of a tick is measured, and after a thread's last slice. Runs in signal handlers. */
bool ep_program_has_async(void);

#endif
