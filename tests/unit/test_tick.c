// SPDX-License-Identifier: BSD-3-Clause
/* Ticks that wait in the queue of signals. */
#include "tests/unit/test.h"

#include <signal.h>

#include "common/os/sys.h"
#include "preload/process/tick.h"
#include "preload/recording/clock.h"
#include "preload/recording/recording.h"
#include "preload/thread/thread_write.h"

static const uint64_t tick = 1ull << (EP_SLICE_SIGNAL - 1);

static bool is_waiting(void)
{
	uint64_t pending = 0;

	ep_sys(__NR_rt_sigpending, &pending, sizeof(pending));
	return pending & tick;
}

static void queue_ticks(int n)
{
	siginfo_t info = { .si_signo = EP_SLICE_SIGNAL, .si_code = SI_QUEUE };

	for (int i = 0; i < n; i++)
		CHECK_INT(ep_sys(__NR_rt_tgsigqueueinfo, ep_sys_getpid(), ep_sys_gettid(),
				  EP_SLICE_SIGNAL, &info),
			0);
}

TEST(waiting_ticks_are_dropped)
{
	ep_sys_sigmask(SIG_BLOCK, &tick, NULL);
	ep_tick_drop_waiting();
	CHECK(!is_waiting());
	queue_ticks(100);
	CHECK(is_waiting());
	ep_tick_drop_waiting();
	CHECK(!is_waiting());
}

/* setuid of another thread waits until this one has heard it. */
TEST(glibcs_own_signal_waits_on)
{
	siginfo_t info;

	ep_sys_sigmask(SIG_BLOCK, &tick, NULL);
	queue_ticks(3);
	CHECK_INT(ep_sys(__NR_tgkill, ep_sys_getpid(), ep_sys_gettid(), EP_SLICE_SIGNAL), 0);
	ep_tick_drop_waiting();
	CHECK_INT(ep_sys(__NR_rt_sigtimedwait, &tick, &info, NULL, sizeof(tick)), EP_SLICE_SIGNAL);
	CHECK_INT(info.si_code, SI_TKILL);
	CHECK(!is_waiting());
}

/* The thread that a tick interrupts may hold its record's lock. */
TEST(ticks_come_late_while_the_record_is_locked)
{
	static struct ep_thread thread;

	thread.clock = (struct ep_clock){ EP_CLOCK_TASK, -1, -1, .period_ns = 50000 };
	ep_recording.is_on = true;
	CHECK(ep_thread_try_lock(&thread));
	ep_tick_come_late(&thread);
	CHECK(thread.clock.is_slowed);
	CHECK(ep_recording.has_late_ticks);
	thread.clock.is_slowed = false;
	ep_recording.is_on = false;
	ep_tick_come_late(&thread);
	CHECK(!thread.clock.is_slowed);
	ep_thread_unlock(&thread);
}
