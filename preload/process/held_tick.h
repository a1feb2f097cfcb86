/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Holds the tick back while handlers of the program run on a small alternate stack, which may have no room for a second
 * signal frame: evprof adds the tick's signal to the masks of these handlers. If ticks come as SIGIO, since the user's
 * queue of pending signals is full, evprof adds SIGIO as well, unless the program handles SIGIO. sigaction() shows the
 * program the masks that it set.
 */
#ifndef EVPROF_PRELOAD_PROCESS_HELD_TICK_H
#define EVPROF_PRELOAD_PROCESS_HELD_TICK_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

/* Holds the tick back in the handlers that the program set before measuring began, if it has set a small alternate
 * stack. */
void ep_held_tick_begin(void);
/* Notes that the program has set an alternate stack of this size. If the stack may be too small for a second signal
 * frame, ticks are blocked in all handlers that run on alternate stacks, from this call on. */
void ep_held_tick_see_stack(size_t bytes);
/* Notes that a new action of a signal has been set. Called within a turn of ep_on_stack_begin. */
void ep_held_tick_see_action(int sig);
/* Notes that a tick came as SIGIO. Called in the handler of SIGIO. */
void ep_held_tick_see_unqueued(void);

/* Removes the signals that evprof has added from the mask that the program is shown. Called within a turn of
 * ep_on_stack_begin. */
void ep_held_tick_show(int sig, struct sigaction *action);

/* Drops this thread's pending ticks and unblocks the tick, for an exec in a handler of the program in which the tick is
 * blocked. The next program takes over pending signals and the mask: it would have the tick pending, or blocked for
 * good. Returns the signals that were unblocked, for ep_held_tick_block_again; 0: the tick is not blocked in this
 * thread. */
uint64_t ep_held_tick_let_go(void);
void ep_held_tick_block_again(uint64_t signals);

#endif
