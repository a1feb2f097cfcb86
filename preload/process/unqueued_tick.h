/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tick that found no room in the user's queue of real-time signals. The kernel sends SIGIO in its place, which does
 * not tell whose it is, and which a program may have a handler for: sort has one that ends it.
 */
#ifndef EVPROF_PRELOAD_PROCESS_UNQUEUED_TICK_H
#define EVPROF_PRELOAD_PROCESS_UNQUEUED_TICK_H

#include <signal.h>
#include <stdbool.h>

/* In the handler of a deadly signal. True: it was such a tick, which is taken; else it is another's signal. */
bool ep_unqueued_tick_take(int sig, siginfo_t *info, void *context);

/* From now on such ticks do not reach the handler of SIGIO that the program has set. */
void ep_unqueued_tick_watch(void);

/* Within a turn: the action as the program set it. */
void ep_unqueued_tick_show(int sig, struct sigaction *action);
/* Returns the handler as the program set it. */
void *ep_unqueued_tick_shown(void *handler);

/* No tick is measured any more: one that comes late is ignored. */
void ep_unqueued_tick_end(void);
/* Behind that: no system call of ours is allowed. */
void ep_unqueued_tick_shut(void);

#endif
