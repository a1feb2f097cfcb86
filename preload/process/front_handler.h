/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A handler of ours that stands before the program's own handler of a signal: it takes what is evprof's, and hands on
 * the rest. The program does not see it.
 */
#ifndef EVPROF_PRELOAD_PROCESS_FRONT_HANDLER_H
#define EVPROF_PRELOAD_PROCESS_FRONT_HANDLER_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

struct ep_front_handler {
	void *_Atomic programs; /* the program's handler; the first member, which assembler reads */
	void *ours;
	int sig;
	atomic_bool sets_siginfo; /* the program's handler did without */
};

/* Puts it before the handler that the program has set, if that one has these flags, stays when it has been called, and
 * is no other one of ours. */
void ep_front_handler_put(struct ep_front_handler *front, unsigned long flags);

/* Within a turn: shows the action as the program set it. */
void ep_front_handler_show(const struct ep_front_handler *front, int sig, struct sigaction *action);
/* Returns the handler as the program set it. */
void *ep_front_handler_shown(const struct ep_front_handler *front, void *handler);

#endif
