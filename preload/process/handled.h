/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Serves handlers of the program in which the tick is blocked, since their alternate stack may have no room for the
 * tick's frame (held_tick.h). A tick that comes while such a handler runs is pending. The kernel would deliver it after
 * the handler has returned, and all the time in the handler would be attributed to the interrupted code. The handler
 * therefore returns through a function of evprof, which takes the pending tick as if it had come in the handler.
 */
#ifndef EVPROF_PRELOAD_PROCESS_HANDLED_H
#define EVPROF_PRELOAD_PROCESS_HANDLED_H

#include <signal.h>

#include "common/os/sys.h"

/* Makes the handler of this action return through evprof's function. Does so on x86-64 only; elsewhere the action stays
 * as it is. */
void ep_handled_return_by(int sig, struct ep_kernel_sigaction *action);
/* Removes evprof's function and flags from an action that the program is shown. */
void ep_handled_show(int sig, struct sigaction *action);

#endif
