// SPDX-License-Identifier: BSD-3-Clause
/* Runs within the program's calls, and uses system calls alone. */
#include "held_tick.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <time.h>

#include "common/os/sys.h"
#include "preload/process/async_fds.h"
#include "preload/process/handled.h"
#include "preload/process/on_stack.h"
#include "preload/process/signals.h"
#include "preload/recording/recording.h"

#define N_SIGNALS 65

static atomic_bool program_has_small_alternate, comes_unqueued;
/* one bit for each signal to whose handler's mask evprof has added the tick (holding), or SIGIO (holding_io) */
static atomic_uint_fast64_t holding, holding_io;

static uint64_t bit_of(int sig)
{
	return 1ull << (sig - 1);
}

/* Tells whether an alternate stack may be too small for two signal frames. The classical SIGSTKSZ is 8 or 16 KiB. A
 * frame takes 1.8 KiB, or 3.4 KiB with AVX-512, and the program's handler may need all the room that two frames
 * leave. */
static bool is_small(size_t bytes)
{
	return bytes <= 16384 || bytes < 4 * getauxval(AT_MINSIGSTKSZ);
}

static bool is_io_ours(void)
{
	struct ep_kernel_sigaction action;

	return !ep_sys_sigaction(SIGIO, NULL, &action) && ep_signals_is_ours(action.handler);
}

/* Returns one bit for each signal as which ticks come. SIGIO is left out if the program handles it, since a handler of
 * another signal may wait for SIGIO and must not have it blocked. */
static uint64_t tick_signals(void)
{
	return bit_of(EP_SLICE_SIGNAL) | (comes_unqueued && is_io_ours() ? bit_of(SIGIO) : 0);
}

static void hold_tick_in(int sig)
{
	struct ep_kernel_sigaction action;
	uint64_t added;

	if (!ep_signals_is_deadly(sig) || ep_sys_sigaction(sig, NULL, &action) ||
		!(action.flags & SA_ONSTACK) || action.flags & SA_NODEFER ||
		action.handler == (void *)SIG_DFL || action.handler == (void *)SIG_IGN ||
		ep_signals_is_ours(action.handler))
		return;
	added = tick_signals() & ~*ep_sigaction_mask(&action);
	if (!added)
		return;
	*ep_sigaction_mask(&action) |= added;
	if (!ep_signals_is_fault(
		    sig)) /* a handler of faults prints the stack: its return address must stay */
		ep_handled_return_by(sig, &action);
	if (ep_sys_sigaction(sig, &action, NULL))
		return;
	if (added & bit_of(EP_SLICE_SIGNAL))
		atomic_fetch_or(&holding, bit_of(sig));
	if (added & bit_of(SIGIO))
		atomic_fetch_or(&holding_io, bit_of(sig));
}

static void hold_tick(void)
{
	for (int sig = 1; sig < N_SIGNALS; sig++)
		hold_tick_in(sig);
}

void ep_held_tick_see_stack(size_t bytes)
{
	struct ep_on_stack_turn turn;

	if (program_has_small_alternate || !is_small(bytes) || ep_recording_is_vfork_child())
		return;
	turn = ep_on_stack_begin();
	program_has_small_alternate = true;
	if (ep_recording.is_on)
		hold_tick();
	ep_on_stack_end(turn);
}

static void let_io_come_in(int sig)
{
	struct ep_kernel_sigaction action;

	if (!(holding_io & bit_of(sig)) || ep_sys_sigaction(sig, NULL, &action))
		return;
	*ep_sigaction_mask(&action) &= ~bit_of(SIGIO);
	ep_sys_sigaction(sig, &action, NULL);
	atomic_fetch_and(&holding_io, ~bit_of(sig));
}

/* Adds SIGIO to the handlers' masks if the program has no handler of SIGIO; removes SIGIO from the masks if it has
 * one. */
static void see_handler_of_io(void)
{
	if (is_io_ours())
		hold_tick();
	else
		for (int sig = 1; sig < N_SIGNALS; sig++)
			let_io_come_in(sig);
}

void ep_held_tick_see_action(int sig)
{
	atomic_fetch_and(&holding, ~bit_of(sig));
	atomic_fetch_and(&holding_io, ~bit_of(sig));
	if (!ep_recording.is_on || !program_has_small_alternate)
		return;
	hold_tick_in(sig);
	if (sig == SIGIO)
		see_handler_of_io();
}

void ep_held_tick_see_unqueued(void)
{
	struct ep_on_stack_turn turn;

	if (comes_unqueued || ep_recording_is_vfork_child())
		return;
	turn = ep_on_stack_begin();
	comes_unqueued = true;
	if (ep_recording.is_on && program_has_small_alternate)
		hold_tick();
	ep_on_stack_end(turn);
}

void ep_held_tick_begin(void)
{
	if (program_has_small_alternate)
		hold_tick();
}

void ep_held_tick_show(int sig, struct sigaction *action)
{
	if (holding & bit_of(sig))
		*(uint64_t *)&action->sa_mask &= ~bit_of(EP_SLICE_SIGNAL);
	if (holding_io & bit_of(sig))
		*(uint64_t *)&action->sa_mask &= ~bit_of(SIGIO);
	if ((holding | holding_io) & bit_of(sig))
		ep_handled_show(sig, action);
}

/* Tells whether a signal that was pending is no tick, so that it must be sent again. */
static bool is_no_tick(const siginfo_t *info)
{
	if (info->si_signo == SIGIO)
		return info->si_code != SI_KERNEL || ep_program_has_async();
	return info->si_code == SI_TKILL;
}

uint64_t ep_held_tick_let_go(void)
{
	static const struct timespec at_once;
	uint64_t mask = 0, held, again = 0;
	siginfo_t info;

	if (!holding || ep_sys_sigmask(SIG_BLOCK, NULL, &mask) || !(mask & bit_of(EP_SLICE_SIGNAL)))
		return 0;
	/* The program may have blocked SIGIO itself, and it is unblocked all the same: programs seldom block SIGIO,
	 * unless they block all signals at once. */
	held = mask & (bit_of(EP_SLICE_SIGNAL) | (holding_io ? bit_of(SIGIO) : 0));
	while (ep_sys(__NR_rt_sigtimedwait, &held, &info, &at_once, sizeof(held)) > 0)
		if (is_no_tick(&info))
			again |= bit_of(info.si_signo);
	ep_sys_sigmask(SIG_UNBLOCK, &held, NULL);
	for (int sig = 1; again >> (sig - 1); sig++)
		if (again & bit_of(sig))
			ep_sys(__NR_tgkill, ep_sys_getpid(), ep_sys_gettid(), sig);
	return held;
}

void ep_held_tick_block_again(uint64_t signals)
{
	ep_sys_sigmask(SIG_BLOCK, &signals, NULL);
}
