/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A handler of evprof that stands before the program's own handler of a signal. It takes the signals that are evprof's
 * and passes the others on. The program does not see it.
 */
#ifndef EVPROF_PRELOAD_PROCESS_FRONT_HANDLER_H
#define EVPROF_PRELOAD_PROCESS_FRONT_HANDLER_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

struct ep_front_handler {
	/* the program's handler; it is the first member since assembler code reads it */
	void *_Atomic programs;
	void *ours;
	int sig;
	atomic_bool sets_siginfo; /* SA_SIGINFO was set by evprof, not by the program */
};

/* Puts evprof's handler before the one that the program has set, if that one has these flags, remains installed after a
 * call (no SA_RESETHAND), and is no other handler of evprof. */
void ep_front_handler_put(struct ep_front_handler *front, unsigned long flags);

/* Makes an action look as the program set it. Called within a turn. */
void ep_front_handler_show(const struct ep_front_handler *front, int sig, struct sigaction *action);
/* Returns the handler that the program set. */
void *ep_front_handler_shown(const struct ep_front_handler *front, void *handler);

#endif
