/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tick that found no room in the user's queue of real-time signals. The kernel sends SIGIO instead, which does not
 * tell whether it is a tick. The program may have a handler of SIGIO: that of sort ends the program.
 */
#ifndef EVPROF_PRELOAD_PROCESS_UNQUEUED_TICK_H
#define EVPROF_PRELOAD_PROCESS_UNQUEUED_TICK_H

#include <signal.h>
#include <stdbool.h>

/* Takes such a tick in the handler of a deadly signal. Returns false where the signal is no tick. */
bool ep_unqueued_tick_take(int sig, siginfo_t *info, void *context);

/* Keeps such ticks from the handler of SIGIO that the program has set. */
void ep_unqueued_tick_watch(void);

/* Makes an action look as the program set it. Called within a turn. */
void ep_unqueued_tick_show(int sig, struct sigaction *action);
/* Returns the handler that the program set. */
void *ep_unqueued_tick_shown(void *handler);

/* Makes late ticks be ignored, since nothing is measured any more. */
void ep_unqueued_tick_end(void);
/* Called after ep_unqueued_tick_end, when evprof must make no further system call. */
void ep_unqueued_tick_shut(void);

#endif
