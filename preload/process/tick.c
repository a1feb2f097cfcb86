// SPDX-License-Identifier: BSD-3-Clause
/* In the tick's handler, and where another handler that held the tick back has returned. */
#include "tick.h"

#include <poll.h>
#include <stdbool.h>
#include <ucontext.h>

#include "common/os/slice_code.h"
#include "common/os/sys.h"
#include "preload/process/process.h"
#include "preload/recording/clock.h"
#include "preload/sample/behind_call.h"
#include "preload/sample/slice.h"
#include "preload/sample/switch.h"

/* The kernel serves the timer at the scheduler's ticks. Where these are as far apart as its periods, a
 * second period often ends before the first is served; a long system call holds many. One signal comes
 * for all of them. A first look is served otherwise. */
static uint32_t n_more_looks(const struct ep_clock *clock, const siginfo_t *info)
{
	return clock->first_before_ns || info->si_overrun < 0 ? 0 : (uint32_t)info->si_overrun;
}

/* A look for system calls that found none is no tick. */
static bool is_tick(struct ep_thread *thread, const siginfo_t *info, const ucontext_t *uc)
{
	struct ep_clock *clock = &thread->clock;

	thread->is_calls_tick = thread->is_schedulers_tick && ep_clock_looks_for_calls(clock);
	if (!thread->is_calls_tick)
		return true;
	thread->is_schedulers_tick = false;
	thread->n_more_looks = n_more_looks(clock, info);
	if (clock->first_before_ns &&
		!ep_clock_first_tick(
			clock, ep_sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) - clock->opened_cpu_ns))
		return false;
	return ep_is_behind_call(uc);
}

static EP_SLICE_CODE void slice(void *thread, const void *context)
{
	ep_slice_tick(thread, context);
	if (ep_recording.out.is_stopped)
		ep_process_stop();
	else if (ep_recording.out.failure)
		ep_process_say_failure();
}

EP_SLICE_CODE void ep_tick_take(
	struct ep_thread *thread, const siginfo_t *info, const void *context)
{
	thread->is_schedulers_tick = info->si_code == SI_TIMER;
	thread->is_triggers_tick = info->si_code == POLL_IN && thread->counters.trigger_fd &&
				   info->si_fd == thread->counters.trigger_fd;
	if (is_tick(thread, info, context))
		ep_switch_stack(
			slice, thread, context, thread->handler_stack + EP_HANDLER_STACK_BYTES);
}

void ep_tick_drop_waiting(void)
{
	uint64_t tick = 1ull << (EP_SLICE_SIGNAL - 1);
	struct timespec now = { 0, 0 };
	siginfo_t info;

	while (ep_sys(__NR_rt_sigtimedwait, &tick, &info, &now, sizeof(tick)) == EP_SLICE_SIGNAL)
		if (info.si_code == SI_TKILL) {
			ep_sys(__NR_tgkill, ep_sys_getpid(), ep_sys_gettid(), EP_SLICE_SIGNAL);
			return;
		}
}
