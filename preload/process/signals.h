/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Our signals inside someone else's process: the slice's tick, and the deadly ones, which are
 * caught (where the program left them at their default) to write the trace before they kill.
 */
#ifndef EVPROF_PRELOAD_PROCESS_SIGNALS_H
#define EVPROF_PRELOAD_PROCESS_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Installs the handlers. Once per process image. */
void ep_signals_begin(void);

/* Before a thread is created: Go may have come with a library, and this be its runtime's first thread. */
void ep_signals_around_thread_create(void);

/* After that: glibc installs its own handler for the tick's signal when the first thread is created; puts
 * ours back, which hands on what is not a tick. The function before does that, too. */
void ep_signals_keep_tick(void);

/* Takes a tick that comes as another signal, as the tick's handler does. All signals are blocked. */
void ep_signals_take_tick(int sig, siginfo_t *info, void *context);

/* Whether ticks still come to us. */
bool ep_signals_has_tick(void);

/* Stops the calling thread's ticks before an exec: one still pending would kill the next program,
 * which has no handler. exec_failed undoes it. */
void ep_signals_before_exec(void);
void ep_signals_exec_failed(void);

/* For the hooks of sigaction and signal: is this our deadly-signal handler? May we take sig? */
bool ep_signals_is_ours(const void *handler);
bool ep_signals_is_deadly(int sig);
/* Takes sig over from its default disposition; flags and mask are what the program gave with it. */
void ep_signals_take(int sig, const struct sigaction *as_program_sees_it);
/* The program gets its own default entry when it asks about a signal of ours. */
void ep_signals_show_default(int sig, struct sigaction *out_action);
/* The program has installed a handler of its own, with flags: it has to cope with EINTR. One on an
 * alternate stack, of a signal that can come at any time, says that its own stacks may have no room
 * for a signal frame (Erlang's processes, OCaml 5's fibers): the tick goes there, too. */
void ep_signals_program_handles(int sig, int flags);
/* The same for a signal whose default is no end (SIGCHLD): its handler interrupts waits as well. */
void ep_signals_program_is_interrupted(void);
/* The program is about to set an alternate stack: ours go out of use. */
void ep_signals_program_sets_alternate(void);
/* It has set one. Where it may be too small for a second signal frame the
 * tick waits for the end of handlers there. */
void ep_signals_program_has_alternate(size_t bytes);
/* From a handler that holds it back the next program would have the tick pending, or blocked for
 * good. False: it is not held in this thread. */
bool ep_signals_let_tick_go(void);
void ep_signals_hold_tick_again(void);
/* Takes what holds the tick back out of the mask that the program is shown. */
void ep_signals_show_mask(int sig, struct sigaction *action);
bool ep_signals_program_has_handlers(void);

/* Called in the child of a fork, which may have become process 1 of a namespace, or its child. */
void ep_signals_after_fork(uint32_t parent_pid);

/* Reverts everything to the defaults, except that ticks which come late are ignored: measuring has stopped for good. */
void ep_signals_end(void);
/* Called behind ep_signals_end, where no system call of ours may follow: the flags of the program's
 * handlers take effect now, not at its first sigaltstack(). Other threads would still have stacks
 * of ours, and their handlers come there: with such threads all stays as it is. Not in a handler of
 * ours, whose end sets its stack. */
void ep_signals_leave_stacks(void);

#endif
