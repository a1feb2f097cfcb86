/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tick is held back in handlers of the program that run on a small alternate stack, where a second signal frame may
 * find no room: evprof adds the tick's signal to their masks. Where ticks come as SIGIO, since the user's queue of pending
 * signals is full, it adds SIGIO, too, unless the program handles SIGIO. The program is shown the masks that it set.
 */
#ifndef EVPROF_PRELOAD_PROCESS_HELD_TICK_H
#define EVPROF_PRELOAD_PROCESS_HELD_TICK_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

/* Holds the tick back in the handlers that the program set before measuring began. */
void ep_held_tick_begin(void);
/* Notes that the program has set an alternate stack. Where it may be too small for a second signal frame, ticks stay
 * blocked until a handler on it has ended. */
void ep_held_tick_see_stack(size_t bytes);
/* Notes that the action of a signal is new. Called within a turn. */
void ep_held_tick_see_action(int sig);
/* Notes that a tick came as SIGIO. Called in its handler. */
void ep_held_tick_see_unqueued(void);

/* Removes the signals that evprof has added from the mask that the program is shown. Called within a turn. */
void ep_held_tick_show(int sig, struct sigaction *action);

/* Unblocks the tick in a handler of the program that blocks it: otherwise the next program would have the tick pending,
 * or blocked for good. Returns the signals that were unblocked, for ep_held_tick_block_again; 0: the tick is not
 * blocked in this thread. */
uint64_t ep_held_tick_let_go(void);
void ep_held_tick_block_again(uint64_t signals);

#endif
