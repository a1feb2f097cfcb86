/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tick is held back in handlers of the program that run on a small alternate stack, where a second signal frame may
 * find no room: evprof adds the tick's signal to their masks. The program is shown the masks that it set.
 */
#ifndef EVPROF_PRELOAD_PROCESS_HELD_TICK_H
#define EVPROF_PRELOAD_PROCESS_HELD_TICK_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Holds the tick back in the handlers that the program set before measuring began. */
void ep_held_tick_begin(void);
/* Notes that the program has set an alternate stack. Where it may be too small for a second signal frame, ticks stay
 * blocked until a handler on it has ended. */
void ep_held_tick_see_stack(size_t bytes);
/* Notes that the program has installed a handler. Called within a turn. */
void ep_held_tick_see_handler(int sig);

/* Removes the tick's signal, which evprof has added, from the mask that the program is shown. Called within a turn. */
void ep_held_tick_show(int sig, struct sigaction *action);

/* Unblocks the tick in a handler of the program that blocks it: otherwise the next program would have the tick pending,
 * or blocked for good. Returns false where the tick is not blocked in this thread. */
bool ep_held_tick_let_go(void);
void ep_held_tick_block_again(void);

#endif
