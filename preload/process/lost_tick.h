/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A lost tick is a tick whose signal frame has no room on the thread's stack. The kernel sends the thread SIGSEGV
 * instead (SI_KERNEL, address 0). A handler of the program for stack overflows would take this signal for an overflow,
 * so evprof keeps the signal from that handler.
 */
#ifndef EVPROF_PRELOAD_PROCESS_LOST_TICK_H
#define EVPROF_PRELOAD_PROCESS_LOST_TICK_H

#include <signal.h>
#include <stdbool.h>

/* Keeps the faults of lost ticks from the program's handler of SIGSEGV, if that handler runs on an alternate stack.
 * Otherwise the handler's own frame would have no room either, and the handler does not run. */
void ep_lost_tick_watch(void);

/* Makes an action look as the program set it, before sigaction() returns it to the program. Called within a turn of
 * ep_on_stack_begin. */
void ep_lost_tick_show(int sig, struct sigaction *action);
/* Returns the handler that the program set, if the given one is evprof's front handler; else returns the given one. */
void *ep_lost_tick_shown(void *handler);

/* Tells a handler of SIGSEGV whether the fault was a lost tick. If it was, the handler must return, so that the thread
 * goes on as if there had been no fault; the thread's clock goes on as after a tick. */
bool ep_lost_tick_is(const siginfo_t *info, const void *context);

#endif
