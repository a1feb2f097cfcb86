/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A front handler is a handler of evprof that the kernel calls in place of the program's own handler of a signal. It
 * takes the signals that are evprof's and passes the others on to the program's handler. sigaction() shows the program
 * its own handler.
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

/* Puts evprof's front handler in the place of the program's handler, if the program's handler has all these flags and
 * remains installed after a call (no SA_RESETHAND). Does nothing if the program has no handler, or if the installed
 * handler is one of evprof's. */
void ep_front_handler_put(struct ep_front_handler *front, unsigned long flags);

/* Makes an action look as the program set it, before sigaction() returns it to the program. Called within a turn of
 * ep_on_stack_begin. */
void ep_front_handler_show(const struct ep_front_handler *front, int sig, struct sigaction *action);
/* Returns the handler that the program set, if the given one is evprof's front handler; else returns the given one. */
void *ep_front_handler_shown(const struct ep_front_handler *front, void *handler);

#endif
