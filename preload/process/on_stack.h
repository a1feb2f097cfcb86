/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SA_ONSTACK of the program's handlers. In a thread without an alternate stack it means nothing, and
 * the handler runs where it interrupts. As long as threads have alternate stacks of ours in its place
 * the flag is taken away, and shown all the same.
 */
#ifndef EVPROF_PRELOAD_PROCESS_ON_STACK_H
#define EVPROF_PRELOAD_PROCESS_ON_STACK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Another thread's change of a handler must not come between a look at it and its change, by the program or
 * by evprof. Signals are blocked meanwhile. In any context but a child of vfork, which has
 * handlers of its own. */
struct ep_on_stack_turn {
	uint64_t mask;
	bool is_none; /* the end has nothing to give back: there is none, or the thread has it already */
};
struct ep_on_stack_turn ep_on_stack_begin(void);
void ep_on_stack_end(struct ep_on_stack_turn turn);
/* A thread that does not go on in fork's child may have had its turn. */
void ep_on_stack_after_fork(void);

/* Within a turn: takes the flag away from the handler that the program has just set, where our stacks are in
 * use. */
void ep_on_stack_note(int sig, int flags);
/* Within a turn: shows the action as the program set it. */
void ep_on_stack_show(int sig, struct sigaction *action);

/* Takes the flag away from handlers that it set before the library began, of these signals. */
void ep_on_stack_hide_all(uint64_t handled);
/* Gives the flag back to all handlers, so that it takes effect again. */
void ep_on_stack_restore(void);
/* The same in a child of vfork, whose handlers are its own. The notes kept here are its parent's and stay
 * as they are. */
void ep_on_stack_restore_in_vfork(void);

#endif
