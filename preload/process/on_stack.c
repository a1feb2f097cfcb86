// SPDX-License-Identifier: BSD-3-Clause
/* These functions run within the program's calls, in its handlers and in ticks, so they use system calls alone. */
#include "on_stack.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/os/slice_code.h"
#include "common/os/sys.h"
#include "preload/process/signals.h"
#include "preload/recording/recording.h"
#include "preload/sample/alternate.h"
#include "preload/thread/thread.h"

#define N_SIGNALS 65

#define MAX_TRIES 2000 /* a wait of some tenths of a second */
#define N_YIELDS 16

static atomic_uint_fast64_t hidden;
/* the address of ep_self in the thread that has the turn; 0: no thread has it */
static atomic_uintptr_t owner;

/* Waits a little for the turn. A turn takes some microseconds, unless the thread that has it loses the CPU. If the
 * waiting thread has a higher priority, it may itself keep the other one from the CPU: therefore it sleeps. After
 * MAX_TRIES a waiting thread takes the turn away, so that the next thread need not wait for it. */
static EP_SLICE_CODE void wait_a_little(int n_tries)
{
	static const struct timespec nap = { .tv_nsec = 50000 };

	if (n_tries < N_YIELDS)
		ep_sys(__NR_sched_yield);
	else
		ep_sys(__NR_nanosleep, &nap, NULL);
}

static EP_SLICE_CODE bool take(uintptr_t self)
{
	uintptr_t none = 0;

	return atomic_compare_exchange_strong(&owner, &none, self);
}

/* Tells whether the thread gets no turn: handlers need no protection here, or the thread has the turn already. The
 * latter happens if the signal() of another library calls sigaction() within a turn. */
static EP_SLICE_CODE bool has_no_turn(uintptr_t self)
{
	return !ep_recording.is_on || atomic_load(&owner) == self || !ep_recording_is_mine();
}

EP_SLICE_CODE struct ep_on_stack_turn ep_on_stack_begin(void)
{
	uintptr_t self = (uintptr_t)&ep_self;
	struct ep_on_stack_turn turn = { .is_none = has_no_turn(self) };

	if (turn.is_none)
		return turn;
	turn.mask = ep_sys_block_signals();
	for (int i = 0; !take(self); i++) {
		if (i == MAX_TRIES) {
			atomic_store(&owner, self);
			break;
		}
		wait_a_little(i);
	}
	return turn;
}

/* Ends the turn, unless another thread, which waited too long, has taken it away in the meantime. */
EP_SLICE_CODE void ep_on_stack_end(struct ep_on_stack_turn turn)
{
	uintptr_t self = (uintptr_t)&ep_self;

	if (turn.is_none)
		return;
	atomic_compare_exchange_strong(&owner, &self, 0);
	ep_sys_restore_signals(turn.mask);
}

void ep_on_stack_after_fork(void)
{
	atomic_store(&owner, 0);
}

static uint64_t bit_of(int sig)
{
	return 1ull << (sig - 1);
}

static bool is_programs(int sig, const struct ep_kernel_sigaction *action)
{
	return sig != EP_SLICE_SIGNAL && action->handler != (void *)SIG_DFL &&
	       action->handler != (void *)SIG_IGN && !ep_signals_is_ours(action->handler);
}

static void hide(int sig)
{
	struct ep_kernel_sigaction action;

	if (ep_sys_sigaction(sig, NULL, &action) || !(action.flags & SA_ONSTACK) ||
		!is_programs(sig, &action))
		return;
	action.flags &= ~(unsigned long)SA_ONSTACK;
	if (!ep_sys_sigaction(sig, &action, NULL))
		atomic_fetch_or(&hidden, bit_of(sig));
}

void ep_on_stack_note(int sig, int flags)
{
	atomic_fetch_and(&hidden, ~bit_of(sig));
	if (flags & SA_ONSTACK && ep_alternate_is_used())
		hide(sig);
}

void ep_on_stack_hide_all(uint64_t handled)
{
	for (int sig = 1; sig < N_SIGNALS; sig++)
		if (handled & bit_of(sig))
			hide(sig);
}

static EP_SLICE_CODE void restore(uint64_t signals)
{
	struct ep_kernel_sigaction action;

	for (int sig = 1; sig < N_SIGNALS; sig++) {
		if (!(signals & bit_of(sig)) || ep_sys_sigaction(sig, NULL, &action))
			continue;
		action.flags |= SA_ONSTACK;
		ep_sys_sigaction(sig, &action, NULL);
	}
}

EP_SLICE_CODE void ep_on_stack_restore(void)
{
	struct ep_on_stack_turn turn = ep_on_stack_begin();

	restore(atomic_exchange(&hidden, 0));
	ep_on_stack_end(turn);
}

void ep_on_stack_restore_in_vfork(void)
{
	restore(hidden);
}

void ep_on_stack_show(int sig, struct sigaction *action)
{
	if (hidden & bit_of(sig))
		action->sa_flags |= SA_ONSTACK;
}
