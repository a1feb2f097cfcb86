// SPDX-License-Identifier: BSD-3-Clause
/* Runs within the program's calls, and uses system calls alone. */
#include "held_tick.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <time.h>

#include "common/os/sys.h"
#include "preload/process/handled.h"
#include "preload/process/on_stack.h"
#include "preload/process/signals.h"
#include "preload/recording/recording.h"

#define N_SIGNALS 65

static atomic_bool program_has_small_alternate;
/* the signals whose handlers' masks evprof has added the tick to */
static atomic_uint_fast64_t holding;

static uint64_t bit_of(int sig)
{
	return 1ull << (sig - 1);
}

/* Tells whether an alternate stack may be too small for two signal frames. The classical SIGSTKSZ is 8 or 16 KiB; a
 * frame has 1.8 KiB, with AVX-512 3.4 KiB, and the handler may need what two frames leave. */
static bool is_small(size_t bytes)
{
	return bytes <= 16384 || bytes < 4 * getauxval(AT_MINSIGSTKSZ);
}

static void hold_tick_in(int sig)
{
	struct ep_kernel_sigaction action;

	if (!ep_signals_is_deadly(sig) || ep_sys_sigaction(sig, NULL, &action) ||
		!(action.flags & SA_ONSTACK) || action.flags & SA_NODEFER ||
		action.handler == (void *)SIG_DFL || action.handler == (void *)SIG_IGN ||
		ep_signals_is_ours(action.handler) ||
		*ep_sigaction_mask(&action) & bit_of(EP_SLICE_SIGNAL))
		return;
	*ep_sigaction_mask(&action) |= bit_of(EP_SLICE_SIGNAL);
	if (!ep_signals_is_fault(
		    sig)) /* a handler of faults prints the stack: its return address must stay */
		ep_handled_return_by(sig, &action);
	if (!ep_sys_sigaction(sig, &action, NULL))
		atomic_fetch_or(&holding, bit_of(sig));
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

void ep_held_tick_see_handler(int sig)
{
	atomic_fetch_and(&holding, ~bit_of(sig));
	if (ep_recording.is_on && program_has_small_alternate)
		hold_tick_in(sig);
}

void ep_held_tick_begin(void)
{
	if (program_has_small_alternate)
		hold_tick();
}

void ep_held_tick_show(int sig, struct sigaction *action)
{
	if (!(holding & bit_of(sig)))
		return;
	*(uint64_t *)&action->sa_mask &= ~bit_of(EP_SLICE_SIGNAL);
	ep_handled_show(sig, action);
}

bool ep_held_tick_let_go(void)
{
	static const struct timespec at_once;
	uint64_t tick = bit_of(EP_SLICE_SIGNAL), mask = 0;
	bool is_glibcs = false;
	siginfo_t info;

	if (!holding || ep_sys_sigmask(SIG_BLOCK, NULL, &mask) || !(mask & tick))
		return false;
	while (ep_sys(__NR_rt_sigtimedwait, &tick, &info, &at_once, sizeof(tick)) > 0)
		is_glibcs |= info.si_code == SI_TKILL;
	ep_sys_sigmask(SIG_UNBLOCK, &tick, NULL);
	if (is_glibcs)
		ep_sys(__NR_tgkill, ep_sys_getpid(), ep_sys_gettid(), EP_SLICE_SIGNAL);
	return true;
}

void ep_held_tick_block_again(void)
{
	uint64_t tick = bit_of(EP_SLICE_SIGNAL);

	ep_sys_sigmask(SIG_BLOCK, &tick, NULL);
}
