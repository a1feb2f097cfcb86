/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tick whose signal frame finds no room on the thread's stack. The kernel sends the thread SIGSEGV instead
 * (SI_KERNEL, address 0). A handler of the program for stack overflows would take this for one, so it does not get the
 * signal.
 */
#ifndef EVPROF_PRELOAD_PROCESS_LOST_TICK_H
#define EVPROF_PRELOAD_PROCESS_LOST_TICK_H

#include <signal.h>
#include <stdbool.h>

/* Keeps such faults from the program's handler of SIGSEGV, if that runs on an alternate stack. A handler without one
 * would find no room itself. */
void ep_lost_tick_watch(void);

/* Makes an action look as the program set it. Called within a turn. */
void ep_lost_tick_show(int sig, struct sigaction *action);
/* Returns the handler that the program set. */
void *ep_lost_tick_shown(void *handler);

/* Tells a handler of SIGSEGV whether the fault was a lost tick: the thread shall then go on as if there had been no
 * fault. Its clock goes on as after a tick. */
bool ep_lost_tick_is(const siginfo_t *info, const void *context);

#endif
