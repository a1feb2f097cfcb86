// SPDX-License-Identifier: BSD-3-Clause
/* These functions run at the start, within calls of the program and in the tick's handler. */
#include "front_handler.h"

#include <stdint.h>

#include "common/os/sys.h"
#include "preload/process/on_stack.h"
#include "preload/process/signals.h"

static void put(struct ep_front_handler *front, unsigned long flags)
{
	struct ep_kernel_sigaction action;

	if (ep_sys_sigaction(front->sig, NULL, &action) || (action.flags & flags) != flags ||
		action.flags & SA_RESETHAND || (uint64_t)action.handler < 4096 ||
		ep_signals_is_ours(action.handler) || action.handler == front->ours)
		return;
	front->programs = action.handler;
	front->sets_siginfo = !(action.flags & SA_SIGINFO);
	action.handler = front->ours;
	/* without SA_SIGINFO the signal frame does not contain the signal's information */
	action.flags |= SA_SIGINFO;
	ep_sys_sigaction(front->sig, &action, NULL);
}

void ep_front_handler_put(struct ep_front_handler *front, unsigned long flags)
{
	struct ep_on_stack_turn turn = ep_on_stack_begin();

	put(front, flags);
	ep_on_stack_end(turn);
}

void *ep_front_handler_shown(const struct ep_front_handler *front, void *handler)
{
	return handler == front->ours ? front->programs : handler;
}

void ep_front_handler_show(const struct ep_front_handler *front, int sig, struct sigaction *action)
{
	if (sig != front->sig || (void *)action->sa_handler != front->ours)
		return;
	action->sa_handler = (void (*)(int))front->programs;
	if (front->sets_siginfo)
		action->sa_flags &= ~SA_SIGINFO;
}
