// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include "common/os/fds.h"
#include "common/os/scheduler.h"
#include "preload/process/calibrate.h"
#include "preload/recording/clock.h"
#include "tests/unit/slice_handler.h"

#define MIXED_PERIOD_NS 8000000

static void on_tick(int sig)
{
	ep_calibrate_note_tick();
}

static void on_silent_tick(int sig)
{
}

static void begin(void (*handler)(int sig))
{
	ep_fds_init();
	handle_slice_signal(handler);
}

TEST(a_calibrated_period_is_within_its_bounds)
{
	begin(on_tick);
	for (int i = 0; i < 20; i++) {
		uint64_t period_ns = ep_calibrate_period(ep_clock_probe(false), UINT64_MAX);

		CHECK_MSG(period_ns >= 1000000 && period_ns <= 10000000 && period_ns % 100000 == 0,
			"%llu ns", (unsigned long long)period_ns);
	}
	CHECK_INT(ep_calibrate_period(EP_CLOCK_TIMER, UINT64_MAX), 10000000);
}

/* Where ticks of its own make long periods, and no longer than is allowed. */
TEST(a_calibrated_period_that_can_be_mixed_is)
{
	begin(on_tick);
	for (int i = 0; i < 20; i++) {
		uint64_t period_ns = ep_calibrate_period(ep_clock_probe(false), MIXED_PERIOD_NS);

		CHECK_MSG(period_ns < EP_SCHEDULER_SHORTEST_NS || period_ns >= MIXED_PERIOD_NS,
			"%llu ns", (unsigned long long)period_ns);
		CHECK(ep_calibrate_period(ep_clock_probe(false), 20000000) <= 10000000);
	}
}

/* The clock jumps for other reasons, too: an interrupt, another virtual machine's turn. */
TEST(only_jumps_with_a_tick_count)
{
	begin(on_silent_tick);
	CHECK_INT(ep_calibrate_period(ep_clock_probe(false), UINT64_MAX), 10000000);
}
