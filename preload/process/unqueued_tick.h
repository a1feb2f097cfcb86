/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Serves ticks for which the user's queue of real-time signals has no room. The kernel sends SIGIO instead of such a
 * tick, and this SIGIO does not tell that it is a tick. A handler of SIGIO in the program must not get it: the handler
 * of sort(1), for example, ends the program.
 */
#ifndef EVPROF_PRELOAD_PROCESS_UNQUEUED_TICK_H
#define EVPROF_PRELOAD_PROCESS_UNQUEUED_TICK_H

#include <signal.h>
#include <stdbool.h>

/* Called in the handler of deadly signals. Takes the signal if it is a tick that came as SIGIO; returns false if it is
 * no tick. */
bool ep_unqueued_tick_take(int sig, siginfo_t *info, void *context);

/* Keeps ticks that come as SIGIO from the handler of SIGIO that the program has set. */
void ep_unqueued_tick_watch(void);

/* Makes an action look as the program set it, before sigaction() returns it to the program. Called within a turn of
 * ep_on_stack_begin. */
void ep_unqueued_tick_show(int sig, struct sigaction *action);
/* Returns the handler that the program set, if the given one is evprof's front handler; else returns the given one. */
void *ep_unqueued_tick_shown(void *handler);

/* Called when nothing is measured any more: late ticks that come as SIGIO are ignored from then on. */
void ep_unqueued_tick_end(void);
/* Called after ep_unqueued_tick_end, when evprof must make no further system call: the program's descriptors are not
 * examined from then on. */
void ep_unqueued_tick_shut(void);

#endif
