/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handlers of the program's that hold the tick back, since their alternate stack has no room for its
 * frame. A tick that came meanwhile waits; the kernel would deliver it when the handler has returned, in
 * what was interrupted, to which all that the handler did would be charged. The handler therefore
 * returns by a function of ours, which takes the tick as the handler's.
 */
#ifndef EVPROF_PRELOAD_PROCESS_HANDLED_H
#define EVPROF_PRELOAD_PROCESS_HANDLED_H

#include <signal.h>

#include "common/os/sys.h"

/* The handler of this action returns by our function (x86-64 alone: elsewhere the kernel's own returns). */
void ep_handled_return_by(int sig, struct ep_kernel_sigaction *action);
/* Removes our function and our flags from an action that the program is shown. */
void ep_handled_show(int sig, struct sigaction *action);

#endif
