// SPDX-License-Identifier: BSD-3-Clause
/* Runs within the program's calls and handlers of SIGIO, and uses system calls alone. */
#include "unqueued_tick.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>

#include "common/os/sys.h"
#include "preload/process/async_fds.h"
#include "preload/process/front_handler.h"
#include "preload/process/held_tick.h"
#include "preload/process/signals.h"
#include "preload/process/tick.h"
#include "preload/recording/recording.h"
#include "preload/thread/thread.h"

/* A program that uses SIGIO gets many such signals: after one that was the program's, its descriptors are examined
 * again only after this many. */
#define N_SURE 1000

static atomic_bool has_ended, is_shut;
/* how many further SIGIO are taken as the program's without a look at its descriptors */
static atomic_int n_sure;

/* Takes the tick. Pending ticks are dropped to make room in the queue, and the next tick is delayed: with short periods
 * the program would otherwise make no progress between ticks. */
static void take(int sig, siginfo_t *info, void *context)
{
	if (!ep_self || ep_recording.is_on) {
		ep_held_tick_see_unqueued();
		ep_tick_drop_waiting();
	}
	ep_signals_take_tick(sig, info, context);
	if (ep_self)
		ep_tick_come_late(ep_self);
}

bool ep_unqueued_tick_take(int sig, siginfo_t *info, void *context)
{
	if (sig != SIGIO || info->si_code != SI_KERNEL || (!is_shut && ep_program_has_async()))
		return false;
	if (!has_ended)
		take(sig, info, context);
	return true;
}

/* Tells whether a SIGIO for which the program has a handler may be a tick. If one of the program's descriptors sends
 * signals, the SIGIO is taken as the program's. */
static bool may_be_tick(const siginfo_t *info)
{
	if (info->si_code != SI_KERNEL || is_shut)
		return false;
	/* n_sure falls below 0 if two threads count it down from 1 at once */
	if (n_sure > 0 && atomic_fetch_sub(&n_sure, 1) > 0)
		return false;
	if (!ep_program_has_async())
		return true;
	n_sure = N_SURE;
	return false;
}

static void on_handled_io(int sig, siginfo_t *info, void *context);

static struct ep_front_handler front = { .ours = (void *)on_handled_io, .sig = SIGIO };

/* Called in place of the program's handler of SIGIO. Blocks all signals while it takes a tick, as the tick's own
 * handler does, since the mask of the program's handler may not contain all signals. */
static void on_handled_io(int sig, siginfo_t *info, void *context)
{
	void (*handler)(int, siginfo_t *, void *) = front.programs;
	int saved_errno = errno;
	uint64_t mask;

	if (!may_be_tick(info)) {
		errno = saved_errno;
		handler(sig, info, context);
		return;
	}
	if (!has_ended) {
		mask = ep_sys_block_signals();
		take(sig, info, context);
		ep_sys_restore_signals(mask);
	}
	errno = saved_errno;
}

void ep_unqueued_tick_watch(void)
{
	ep_front_handler_put(&front, 0);
}

void *ep_unqueued_tick_shown(void *handler)
{
	return ep_front_handler_shown(&front, handler);
}

void ep_unqueued_tick_show(int sig, struct sigaction *action)
{
	ep_front_handler_show(&front, sig, action);
}

void ep_unqueued_tick_end(void)
{
	has_ended = true;
}

void ep_unqueued_tick_shut(void)
{
	is_shut = true;
}
