/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handlers of the program that block the tick, since their alternate stack has no room for its frame. A tick that comes
 * in the meantime is pending. The kernel would deliver it when the handler has returned, and all that the handler did
 * would be attributed to the interrupted code. The handler therefore returns through a function of evprof, which takes
 * the tick as one in the handler.
 */
#ifndef EVPROF_PRELOAD_PROCESS_HANDLED_H
#define EVPROF_PRELOAD_PROCESS_HANDLED_H

#include <signal.h>

#include "common/os/sys.h"

/* Makes the handler of this action return through evprof's function (on x86-64 alone; elsewhere it returns by the
 * kernel's own code). */
void ep_handled_return_by(int sig, struct ep_kernel_sigaction *action);
/* Removes evprof's function and flags from an action that the program is shown. */
void ep_handled_show(int sig, struct sigaction *action);

#endif
