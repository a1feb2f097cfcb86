/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * evprof's signals in the program's process: the tick of slices, and the deadly signals. evprof catches a deadly signal
 * whose action is the default, to write the trace before the signal kills the process.
 */
#ifndef EVPROF_PRELOAD_PROCESS_SIGNALS_H
#define EVPROF_PRELOAD_PROCESS_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Installs the handlers. Called once per process image. */
void ep_signals_begin(void);

/* Called before a thread is created. Sets the tick's handler for Go if Go is loaded: it may have come with a library
 * that was loaded since, and the new thread may be the first of Go's runtime. */
void ep_signals_around_thread_create(void);

/* Sets evprof's handler of the tick's signal again after a thread was created: glibc installs its own handler when the
 * first thread is created. evprof's handler passes on signals that are no ticks. ep_signals_around_thread_create does
 * this, too. */
void ep_signals_keep_tick(void);

/* Takes a tick that came as another signal (SIGIO), in the same way as the tick's handler. Called with all signals
 * blocked. */
void ep_signals_take_tick(int sig, siginfo_t *info, void *context);

/* Tells whether evprof's handler of the tick's signal is still installed. */
bool ep_signals_has_tick(void);

/* Stops the calling thread's ticks before an exec: a tick that is still pending would kill the next program, which has
 * no handler. ep_signals_exec_failed undoes this. */
void ep_signals_before_exec(void);
void ep_signals_exec_failed(void);

/* The next two functions are for the hooks of sigaction and signal. The first tells whether a handler is evprof's
 * handler of deadly signals, the second whether evprof may catch a signal as deadly. */
bool ep_signals_is_ours(const void *handler);
bool ep_signals_is_deadly(int sig);
/* Tells whether a signal is caused by the instruction that the thread runs, for example by an overflow of the stack. */
bool ep_signals_is_fault(int sig);
/* Catches a signal for which the program sets the default action. The argument has the flags and mask that the program
 * set together with the default. */
void ep_signals_take(int sig, const struct sigaction *as_program_sees_it);
/* Sets *out_action to the default action that the program set, for a program that asks about a signal which evprof
 * catches. */
void ep_signals_show_default(int sig, struct sigaction *out_action);
/* Notes that the program has installed a handler with these flags. A program with a handler has to cope with EINTR, so
 * evprof does not restart its interrupted calls. If the handler runs on an alternate stack, and its signal can come at
 * any time, the program's own stacks may have no room for a signal frame (Erlang's processes, OCaml 5's fibers): the
 * tick uses the alternate stack then, too. */
void ep_signals_program_handles(int sig, int flags);
/* Notes that the program handles a signal which evprof does not catch (for example SIGCHLD). Such a handler interrupts
 * waits as well, so the program has to cope with EINTR. */
void ep_signals_program_is_interrupted(void);
/* Ends the use of evprof's alternate stacks, since the program is about to set one of its own. */
void ep_signals_program_sets_alternate(void);
bool ep_signals_program_has_handlers(void);

/* Called in the child of a fork. Decides anew which signals are caught, if the child is process 1 of a new namespace
 * and its parent was not, or the other way round. */
void ep_signals_after_fork(uint32_t parent_pid);

/* Gives the deadly signals that evprof caught their default action again, since measuring has stopped for good. The
 * handlers of the tick and of SIGIO stay for late ticks. */
void ep_signals_end(void);
/* Called after ep_signals_end, if evprof must make no further system call afterwards. Removes the calling thread's
 * alternate stack and gives SA_ONSTACK back to the program's handlers, which would else happen at the program's first
 * sigaltstack(). Does neither if other threads are measured: their handlers would run on their alternate stacks of
 * evprof. Not called in a handler of evprof, since the kernel sets the alternate stack again when that handler
 * returns. */
void ep_signals_leave_stacks(void);

#endif
