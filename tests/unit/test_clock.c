// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>

#include "common/cleanup.h"
#include "preload/calibrate.h"
#include "preload/clock.h"
#include "preload/fds.h"
#include "preload/sys.h"

#define KERNEL_SA_RESTORER 0x04000000

static atomic_int n_ticks;
static _Atomic int tick_tid;
static bool tells_calibration = true;

static void on_tick(int sig)
{
	n_ticks++;
	tick_tid = ep_sys_gettid();
	if (tells_calibration)
		ep_calibrate_note_tick();
}

#if defined(__x86_64__)
__attribute__((naked)) static void restore_frame(void)
{
	__asm__("mov $15, %rax\n\tsyscall");
}
#endif

/* libc gives no handler to its own signal. */
static void begin(void)
{
	struct ep_kernel_sigaction action = { .handler = (void *)on_tick, .flags = SA_RESTART };
	uint64_t own = 1ull << (EP_SLICE_SIGNAL - 1);

#if defined(__x86_64__)
	action.flags |= KERNEL_SA_RESTORER;
	action.restorer = restore_frame;
#endif
	ep_fds_init();
	ep_sys_sigaction(EP_SLICE_SIGNAL, &action, NULL);
	ep_sys_sigmask(SIG_UNBLOCK, &own, NULL);
	n_ticks = 0;
}

/* Uses CPU time until n_wanted ticks have come, or some seconds are over. */
static int spin_until(int n_wanted)
{
	uint64_t end_ns = ep_now_ns(CLOCK_THREAD_CPUTIME_ID) + 3000000000u;

	while (n_ticks < n_wanted && ep_now_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		;
	return n_ticks;
}

TEST(the_kind_found_works)
{
	enum ep_clock_kind kind = ep_clock_probe(true);
	struct ep_clock clock;

	begin();
	CHECK(kind != EP_CLOCK_NONE);
	CHECK_INT(ep_clock_open(&clock, kind, 1000000), 0);
	CHECK_INT(clock.kind, kind);
	CHECK(spin_until(20) >= 20);
	CHECK_INT(tick_tid, ep_sys_gettid());
	ep_clock_close(&clock);
	CHECK_INT(clock.kind, EP_CLOCK_NONE);
}

TEST(every_kind_ticks_until_closed)
{
	static const enum ep_clock_kind kinds[] = { EP_CLOCK_TASK, EP_CLOCK_TASK_USER,
		EP_CLOCK_TIMER };

	begin();
	for (size_t i = 0; i < EP_ARRAY_SIZE(kinds); i++) {
		struct ep_clock clock;
		int rc = ep_clock_open(&clock, kinds[i], 2000000), n;
		uint64_t end_ns;

		if (rc == -EACCES || rc == -EPERM) {
			CHECK_INT(clock.kind, EP_CLOCK_NONE);
			continue;
		}
		CHECK_INT(rc, 0);
		n_ticks = 0;
		CHECK_MSG(spin_until(3) >= 3, "%s", ep_clock_name(kinds[i]));
		ep_clock_close(&clock);
		n = n_ticks;
		end_ns = ep_now_ns(CLOCK_THREAD_CPUTIME_ID) + 30000000;
		while (ep_now_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
			;
		CHECK_MSG(n_ticks <= n + 1, "%s ticks when closed", ep_clock_name(kinds[i]));
		ep_clock_close(&clock);
	}
}

/* A thread without a clock is no part of the profile, and its time goes to others. */
TEST(a_thread_that_finds_no_descriptor_has_a_timer)
{
	enum ep_clock_kind kind = ep_clock_probe(false);
	struct ep_clock clock;
	struct rlimit before, none = { 0, 0 };

	if (kind == EP_CLOCK_TIMER)
		SKIP("this user has no task-clock");
	begin();
	CHECK_INT(getrlimit(RLIMIT_NOFILE, &before), 0);
	none.rlim_max = before.rlim_max;
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &none), 0);
	CHECK_INT(ep_clock_open(&clock, kind, 2000000), 0);
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &before), 0);
	CHECK_INT(clock.kind, EP_CLOCK_TIMER);
	CHECK(spin_until(3) >= 3);
	ep_clock_close(&clock);
}

TEST(sleep_does_not_tick)
{
	struct timespec time = { 0, 50000000 };
	struct ep_clock clock;
	int n;

	begin();
	CHECK_INT(ep_clock_open(&clock, ep_clock_probe(false), 1000000), 0);
	spin_until(1);
	n = n_ticks;
	CHECK_INT(nanosleep(&time, NULL), 0);
	CHECK_MSG(n_ticks <= n + 2, "%d ticks", n_ticks - n);
	ep_clock_close(&clock);
}

TEST(names_are_distinct)
{
	CHECK_STR(ep_clock_name(EP_CLOCK_TASK), "task-clock");
	CHECK_STR(ep_clock_name(EP_CLOCK_TASK_USER), "task-clock:u");
	CHECK_STR(ep_clock_name(EP_CLOCK_TIMER), "thread-cputime");
}

TEST(a_calibrated_period_is_within_its_bounds)
{
	begin();
	for (int i = 0; i < 20; i++) {
		uint64_t period_ns = ep_calibrate_period(ep_clock_probe(false));

		CHECK_MSG(period_ns >= 1000000 && period_ns <= 10000000 && period_ns % 100000 == 0,
			"%llu ns", (unsigned long long)period_ns);
	}
	CHECK_INT(ep_calibrate_period(EP_CLOCK_TIMER), 10000000);
}

/* The clock jumps for other reasons, too: an interrupt, another virtual machine's turn. */
TEST(only_jumps_with_a_tick_count)
{
	begin();
	tells_calibration = false;
	CHECK_INT(ep_calibrate_period(ep_clock_probe(false)), 10000000);
	tells_calibration = true;
}
