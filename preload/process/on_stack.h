/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Removes SA_ONSTACK from the program's handlers while threads have alternate stacks of evprof. In a thread without an
 * alternate stack the flag has no effect, and the handler runs on the interrupted stack. Without the flag, handlers
 * still run there and not on evprof's stack. sigaction() shows the program the flag all the same.
 */
#ifndef EVPROF_PRELOAD_PROCESS_ON_STACK_H
#define EVPROF_PRELOAD_PROCESS_ON_STACK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Begins a turn, in which one thread alone may change signal handlers. No other thread, in code of the program or of
 * evprof, changes a handler between this thread's look at the handler and its change. Signals are blocked during a
 * turn. Allowed in any context but a child of vfork, which has handlers of its own. */
struct ep_on_stack_turn {
	uint64_t mask;
	/* true: ep_on_stack_end does nothing, since no turn is needed or the thread has one already */
	bool is_none;
};
struct ep_on_stack_turn ep_on_stack_begin(void);
void ep_on_stack_end(struct ep_on_stack_turn turn);
/* Called in the child of a fork. Ends the turn that another thread had in the parent, since that thread does not exist
 * in the child. */
void ep_on_stack_after_fork(void);

/* Removes SA_ONSTACK from the handler that the program has just set with these flags, if evprof's alternate stacks are
 * in use. Called within a turn. */
void ep_on_stack_note(int sig, int flags);
/* Makes an action look as the program set it, before sigaction() returns it to the program. Called within a turn. */
void ep_on_stack_show(int sig, struct sigaction *action);

/* Removes SA_ONSTACK from the program's handlers that were set before the library began. handled: one bit for each
 * signal that may have such a handler. */
void ep_on_stack_hide_all(uint64_t handled);
/* Gives SA_ONSTACK back to all handlers from which evprof removed it, so that it takes effect again. */
void ep_on_stack_restore(void);
/* Gives SA_ONSTACK back in a child of vfork, which has handlers of its own. The notes in memory, on which handlers lack
 * the flag, are the parent's and stay as they are. */
void ep_on_stack_restore_in_vfork(void);

#endif
