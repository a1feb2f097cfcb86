/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tick whose frame finds no room on the thread's stack. The kernel gives the thread a SIGSEGV in its place (SI_KERNEL,
 * address 0), which a handler of the program's for its stack overflows takes for one: it is sent on its way again.
 */
#ifndef EVPROF_PRELOAD_PROCESS_LOST_TICK_H
#define EVPROF_PRELOAD_PROCESS_LOST_TICK_H

#include <signal.h>
#include <stdbool.h>

/* From now on such faults do not reach the handler of SIGSEGV that the program has set, if
 * it is one for alternate stacks. Others would have no room themselves. */
void ep_lost_tick_watch(void);

/* Within a turn: the action as the program set it. */
void ep_lost_tick_show(int sig, struct sigaction *action);
/* Returns the handler as the program set it. */
void *ep_lost_tick_shown(void *handler);

/* A handler of SIGSEGV asks whether the thread is to go on as if there had been no fault. */
bool ep_lost_tick_is(const siginfo_t *info, const void *context);

#endif
