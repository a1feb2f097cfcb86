/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hides SA_ONSTACK of the program's handlers. In a thread without an alternate stack the flag has no effect, and the
 * handler runs on the interrupted stack. As long as threads have alternate stacks of evprof, the flag is removed so
 * that this stays so; the program is still shown the flag.
 */
#ifndef EVPROF_PRELOAD_PROCESS_ON_STACK_H
#define EVPROF_PRELOAD_PROCESS_ON_STACK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Begins a turn: no other thread, of the program or in evprof's code, changes a handler between a look at it and its
 * change. Signals are blocked during a turn. Allowed in any context but a child of vfork, which has handlers of its
 * own. */
struct ep_on_stack_turn {
	uint64_t mask;
	/* true: ep_on_stack_end does nothing, since no turn is needed or the thread has one already */
	bool is_none;
};
struct ep_on_stack_turn ep_on_stack_begin(void);
void ep_on_stack_end(struct ep_on_stack_turn turn);
/* Ends the turn of a thread that does not exist in the child of a fork. */
void ep_on_stack_after_fork(void);

/* Removes the flag from the handler that the program has just set, where evprof's alternate stacks are in use. Called
 * within a turn. */
void ep_on_stack_note(int sig, int flags);
/* Makes an action look as the program set it. Called within a turn. */
void ep_on_stack_show(int sig, struct sigaction *action);

/* Removes the flag from the program's handlers of these signals that were set before the library began. */
void ep_on_stack_hide_all(uint64_t handled);
/* Gives the flag back to all handlers, so that it takes effect again. */
void ep_on_stack_restore(void);
/* Gives the flag back in a child of vfork, whose handlers are its own. The notes kept here are its parent's and stay as
 * they are. */
void ep_on_stack_restore_in_vfork(void);

#endif
