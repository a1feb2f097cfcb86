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

/* Called before a thread is created. Go may have come with a library, and the thread may be the first of Go's runtime. */
void ep_signals_around_thread_create(void);

/* Sets evprof's handler of the tick's signal again after a thread was created: glibc installs its own handler when the
 * first thread is created. evprof's handler passes on signals that are no ticks. ep_signals_around_thread_create does
 * this, too. */
void ep_signals_keep_tick(void);

/* Takes a tick that comes as another signal, as the tick's handler does. All signals are blocked. */
void ep_signals_take_tick(int sig, siginfo_t *info, void *context);

/* Tells whether evprof's handler of the tick's signal is still installed. */
bool ep_signals_has_tick(void);

/* Stops the calling thread's ticks before an exec: a tick that is still pending would kill the next program, which has
 * no handler. ep_signals_exec_failed undoes this. */
void ep_signals_before_exec(void);
void ep_signals_exec_failed(void);

/* For the hooks of sigaction and signal. The first tells whether a handler is evprof's for deadly signals, the second
 * whether evprof may catch the signal. */
bool ep_signals_is_ours(const void *handler);
bool ep_signals_is_deadly(int sig);
/* Tells whether a signal is caused by the instruction that the thread runs, for example by an overflow of the stack. */
bool ep_signals_is_fault(int sig);
/* Catches a signal whose action is the default; the argument has the flags and mask that the program gave with it. */
void ep_signals_take(int sig, const struct sigaction *as_program_sees_it);
/* Shows the program the default action that it set, where it asks about a signal that evprof catches. */
void ep_signals_show_default(int sig, struct sigaction *out_action);
/* Notes that the program has installed a handler with these flags, so that it has to cope with EINTR. A handler on an
 * alternate stack, of a signal that can come at any time, means that the program's own stacks may have no room for a
 * signal frame (Erlang's processes, OCaml 5's fibers): the tick uses the alternate stack then, too. */
void ep_signals_program_handles(int sig, int flags);
/* Notes a handler of a signal that evprof does not catch (for example SIGCHLD): it interrupts waits as well. */
void ep_signals_program_is_interrupted(void);
/* Takes evprof's alternate stacks out of use; the program is about to set one of its own. */
void ep_signals_program_sets_alternate(void);
bool ep_signals_program_has_handlers(void);

/* Called in the child of a fork, which may be process 1 of a new namespace, or the child of such a process. */
void ep_signals_after_fork(uint32_t parent_pid);

/* Sets all signals to their defaults, since measuring has stopped for good; late ticks are ignored, though. */
void ep_signals_end(void);
/* Called after ep_signals_end, where evprof must make no further system call. SA_ONSTACK of the program's handlers
 * takes effect now, not only at the program's first sigaltstack(). Where other threads still have alternate stacks of
 * evprof, on which their handlers would run, all stays as it is. Not called in a handler of evprof, at whose end the
 * kernel sets the alternate stack. */
void ep_signals_leave_stacks(void);

#endif
