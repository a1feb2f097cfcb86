// SPDX-License-Identifier: BSD-3-Clause
/* Runs in the tick's handler, and after another handler that blocked the tick has returned. */
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
#include "preload/thread/thread_write.h"

/* Returns for how many further looks for system calls (clock.h) this signal stands. The kernel serves the timer of
 * these looks at the scheduler's ticks. If these are as far apart as the timer's periods, a second period often ends
 * before the first is served, and a long system call contains many periods. One signal comes for all of them;
 * si_overrun counts the others. The first look stands for itself alone, since its time is random. */
static uint32_t n_more_looks(const struct ep_clock *clock, const siginfo_t *info)
{
	return clock->first_before_ns || info->si_overrun < 0 ? 0 : (uint32_t)info->si_overrun;
}

/* Tells whether the first look for system calls is due, and sets the timer anew. Needs the thread's lock for that: a
 * thread that is entering a sandbox holds the lock, and no system call may be made then. */
static bool is_first_due(struct ep_thread *thread)
{
	struct ep_clock *clock = &thread->clock;
	bool is_due;

	if (!ep_thread_try_lock(thread))
		return false;
	is_due = ep_recording.is_on &&
		 ep_clock_first_tick(
			 clock, ep_sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) - clock->opened_cpu_ns);
	ep_thread_unlock(thread);
	return is_due;
}

/* Tells whether a signal is a tick. A look for system calls that finds neither a system call nor a page fault is no
 * tick. */
static bool is_tick(struct ep_thread *thread, const siginfo_t *info, const ucontext_t *uc)
{
	struct ep_clock *clock = &thread->clock;

	thread->is_calls_tick = thread->is_schedulers_tick && ep_clock_looks_for_calls(clock);
	if (!thread->is_calls_tick)
		return true;
	thread->is_schedulers_tick = false;
	thread->n_more_looks = n_more_looks(clock, info);
	if (clock->first_before_ns && !is_first_due(thread))
		return false;
	thread->is_faults_tick = ep_is_behind_fault(uc);
	return thread->is_faults_tick || ep_is_behind_call(uc);
}

static void make_room(struct ep_thread *thread)
{
	if (!ep_thread_try_lock(thread))
		return;
	if (ep_recording.is_on)
		ep_tick_drop_waiting();
	ep_thread_unlock(thread);
}

/* Drops pending ticks if, in the last slice, the armed event occurred at least twice as often as its drawn period. The
 * event has then sent more than one signal. A pending tick by time is dropped with them, and its window takes one
 * period more. */
static EP_SLICE_CODE void drop_surplus(struct ep_thread *thread)
{
	if (!thread->trigger.ran_over)
		return;
	thread->trigger.ran_over = false;
	make_room(thread);
}

static EP_SLICE_CODE void slice(void *thread, const void *context)
{
	ep_slice_tick(thread, context);
	drop_surplus(thread);
	/* A tick that comes after measuring has stopped makes no system call, since the program may have entered a
	 * sandbox in the meantime. */
	if (ep_recording.out.is_stopped && ep_recording.is_on)
		ep_process_stop();
	else if (ep_recording.out.failure)
		ep_process_say_failure();
}

EP_SLICE_CODE void ep_tick_take(
	struct ep_thread *thread, const siginfo_t *info, const void *context)
{
	thread->is_schedulers_tick = info->si_code == SI_TIMER;
	/* POLL_HUP means that the event stopped itself with this overflow. */
	thread->is_triggers_tick = (info->si_code == POLL_IN || info->si_code == POLL_HUP) &&
				   thread->counters.trigger_fd &&
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

void ep_tick_come_late(struct ep_thread *thread)
{
	if (!ep_recording.is_on)
		return;
	ep_recording.has_late_ticks = true;
	ep_clock_slow_down(&thread->clock);
}
