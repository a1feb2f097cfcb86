// SPDX-License-Identifier: BSD-3-Clause
/* Hooks of calls about signals. The program never learns that evprof catches a deadly signal whose action is the
 * default. When the program sets the default action again, evprof catches the signal again. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "hooks.h"
#include "preload/process/held_tick.h"
#include "preload/process/lost_tick.h"
#include "preload/process/on_stack.h"
#include "preload/process/process.h"
#include "preload/process/signals.h"
#include "preload/process/unqueued_tick.h"
#include "preload/sample/alternate.h"

EP_REAL(sigaction)
EP_REAL(signal)

/* Tells whether evprof catches a signal. evprof's handler may still be installed after measuring has stopped, and must
 * be hidden from the program then, too. */
static bool is_virtual(int sig)
{
	return ep_signals_is_deadly(sig);
}

/* Tells whether evprof catches a deadly signal again, since the program sets its default action. evprof does not do so
 * in a child of vfork, since the notes would be made in the parent's memory. */
static bool is_taken_back(int sig, const void *handler)
{
	return ep_recording.is_on && is_virtual(sig) && handler == (void *)SIG_DFL &&
	       ep_recording_is_mine();
}

static void note_handler(int sig, const void *handler, int flags)
{
	if (ep_recording_is_vfork_child())
		return;
	ep_on_stack_note(sig, flags);
	if (handler == (void *)SIG_DFL || handler == (void *)SIG_IGN)
		return;
	if (is_virtual(sig))
		ep_signals_program_handles(sig, flags);
	else
		ep_signals_program_is_interrupted();
}

static void show(int sig, struct sigaction *action)
{
	ep_held_tick_show(sig, action);
	ep_lost_tick_show(sig, action);
	ep_unqueued_tick_show(sig, action);
	ep_on_stack_show(sig, action);
}

static int look_at_action(int sig, const struct sigaction *action, struct sigaction *out_old)
{
	int rc = find_sigaction()(sig, action, out_old);

	if (!rc && ep_signals_is_ours(out_old->sa_handler))
		ep_signals_show_default(sig, out_old);
	if (!rc)
		show(sig, out_old);
	return rc;
}

static int change_action(int sig, const struct sigaction *action, struct sigaction *out_old)
{
	bool is_taking_back = action && is_taken_back(sig, action->sa_handler);
	int rc = look_at_action(sig, is_taking_back ? NULL : action, out_old);

	if (!rc && is_taking_back)
		ep_signals_take(sig, action);
	else if (!rc && action)
		note_handler(sig, action->sa_handler, action->sa_flags);
	return rc;
}

EP_HOOK int sigaction(int sig, const struct sigaction *action, struct sigaction *out_old)
{
	struct sigaction wanted, old;
	struct ep_on_stack_turn turn;
	int rc;

	/* The program's memory is not accessed within a turn, which blocks signals: an access may fault, and the
	 * program's handler of SIGSEGV must be able to run then. */
	/* a copy is taken since action may be the same memory as out_old */
	if (action)
		wanted = *action;
	turn = ep_on_stack_begin();
	rc = change_action(sig, action ? &wanted : NULL, &old);
	ep_on_stack_end(turn);
	if (!rc && out_old)
		*out_old = old;
	return rc;
}

EP_REAL(sigaltstack)

static bool has_ours(void)
{
	stack_t now;

	return !find_sigaltstack()(NULL, &now) && ep_alternate_is_ours(ep_self, &now);
}

EP_HOOK int sigaltstack(const stack_t *restrict stack, stack_t *restrict out_old)
{
	/* The size is read first, since stack may be the same memory as out_old. */
	size_t bytes = stack && !(stack->ss_flags & SS_DISABLE) ? stack->ss_size : 0;
	/* The program wants no alternate stack, and does not know of evprof's: evprof's stays. */
	bool keeps_ours = stack && stack->ss_flags == SS_DISABLE && has_ours();
	int rc;

	if (bytes)
		ep_signals_program_sets_alternate();
	rc = find_sigaltstack()(keeps_ours ? NULL : stack, out_old);
	if (!rc && out_old && ep_alternate_is_ours(ep_self, out_old))
		*out_old = (stack_t){ .ss_flags = SS_DISABLE };
	if (!rc && bytes)
		ep_held_tick_see_stack(bytes);
	return rc;
}

/* __sigaction is another name of sigaction that no header declares: Erlang's own sigaction calls it. */
int __sigaction(int sig, const struct sigaction *action, struct sigaction *out_old);

EP_HOOK int __sigaction(int sig, const struct sigaction *action, struct sigaction *out_old)
{
	return sigaction(sig, action, out_old);
}

static sighandler_t set_handler(int sig, sighandler_t handler, int flags)
{
	struct sigaction action, old;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	action.sa_flags = flags;
	if (flags & SA_RESTART)
		sigaddset(&action.sa_mask, sig);
	return sigaction(sig, &action, &old) ? SIG_ERR : old.sa_handler;
}

static sighandler_t shown(sighandler_t old)
{
	if (ep_signals_is_ours(old))
		return SIG_DFL;
	return (sighandler_t)ep_unqueued_tick_shown(ep_lost_tick_shown((void *)old));
}

EP_HOOK sighandler_t signal(int sig, sighandler_t handler)
{
	struct ep_on_stack_turn turn;
	sighandler_t old, seen;

	/* For the default action and for ignored signals no handler runs, so siginterrupt() does not matter. For a
	 * handler libc's signal() is called, which knows whether siginterrupt() asked for EINTR. */
	if (is_virtual(sig) && (handler == SIG_DFL || handler == SIG_IGN))
		return set_handler(sig, handler, SA_RESTART);
	turn = ep_on_stack_begin();
	old = find_signal()(sig, handler);
	seen = shown(old); /* is found first: note_handler replaces the noted handler */
	if (old != SIG_ERR)
		note_handler(sig, handler, 0);
	ep_on_stack_end(turn);
	return seen;
}

/* Headers of POSIX.1-2008 do not declare bsd_signal any more, but older programs link to it. */
sighandler_t bsd_signal(int sig, sighandler_t handler);

EP_HOOK sighandler_t bsd_signal(int sig, sighandler_t handler)
{
	return signal(sig, handler);
}

EP_HOOK sighandler_t ssignal(int sig, sighandler_t handler)
{
	return signal(sig, handler);
}

EP_HOOK sighandler_t sysv_signal(int sig, sighandler_t handler)
{
	return set_handler(sig, handler, (int)(SA_RESETHAND | SA_NODEFER));
}

EP_HOOK sighandler_t __sysv_signal(int sig, sighandler_t handler)
{
	return sysv_signal(sig, handler);
}

EP_REAL(sigpending)

/* Hides a pending tick. A tick can be pending in a handler where evprof blocks it (held_tick.h), or in a program that
 * blocks the tick's signal by a system call of its own. glibc's functions never block this signal. */
EP_HOOK int sigpending(sigset_t *out_set)
{
	int rc = find_sigpending()(out_set);

	if (!rc)
		*(uint64_t *)out_set &= ~(1ull << (EP_SLICE_SIGNAL - 1));
	return rc;
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
EP_REAL(sigset)

/* sigset also changes the thread's signal mask. A turn restores the mask at its end and would undo this change, so the
 * turn begins after the real call. */
EP_HOOK sighandler_t sigset(int sig, sighandler_t disposition)
{
	sighandler_t old = find_sigset()(sig, disposition), seen = shown(old);
	struct ep_on_stack_turn turn;
	struct sigaction plain;

	if (old == SIG_ERR)
		return old;
	turn = ep_on_stack_begin();
	if (is_taken_back(sig, disposition)) {
		memset(&plain, 0, sizeof(plain));
		ep_signals_take(sig, &plain);
	} else if (disposition != SIG_HOLD) {
		note_handler(sig, disposition, 0);
	}
	ep_on_stack_end(turn);
	return seen;
}
