// SPDX-License-Identifier: BSD-3-Clause
/* Stamps go on with CLOCK_MONOTONIC, whichever clock they are of. */
#include "tests/unit/test.h"

#include "preload/recording/stamp.h"

#define TURN_NS 1000000

static void until(uint64_t ns)
{
	while (ep_now_ns(CLOCK_MONOTONIC) < ns)
		;
}

/* The clocks are read one behind the other, and the thread may lose its CPU between: never for longer than
 * what another look at the first one finds. */
TEST(a_difference_is_that_of_the_clock)
{
	ep_stamps_begin();
	for (int i = 1; i < 20; i++) {
		uint64_t before_ns = ep_now_ns(CLOCK_MONOTONIC), from = ep_stamp_take();
		uint64_t from_ns = ep_now_ns(CLOCK_MONOTONIC), to_ns, to, end_ns;

		until(before_ns + (uint64_t)i * TURN_NS);
		to_ns = ep_now_ns(CLOCK_MONOTONIC);
		to = ep_stamp_take();
		end_ns = ep_now_ns(CLOCK_MONOTONIC);
		if (end_ns - to_ns < 2000 && from_ns - before_ns < 2000)
			CHECK_CLOSE(
				(double)ep_stamps_ns(from, to), (double)(to_ns - from_ns), 0.02);
	}
}

static uint64_t settle(void)
{
	while (!ep_stamps.is_settled)
		ep_stamps_ns(1, 2);
	return ep_stamps.ns_rate;
}

/* While a machine was suspended the counter and CLOCK_BOOTTIME have gone on, and CLOCK_MONOTONIC has not. */
TEST(a_suspended_machine_has_the_same_rate)
{
	uint64_t rate;

	ep_stamps_begin();
	if (!ep_stamps.are_of_counter)
		return;
	rate = settle();
	for (int n_times = 1; n_times < EP_STAMPS_N_STARTS; n_times++) {
		ep_stamps_begin();
		for (int i = 0; i < n_times; i++) {
			struct ep_stamps_point *start = &ep_stamps.starts[ep_stamps.start_idx];

			start->stamp -= 3000000000;
			start->suspended_ns -= 1000000000;
			while (&ep_stamps.starts[ep_stamps.start_idx] == start)
				ep_stamps_ns(1, 2);
		}
		CHECK_CLOSE((double)settle(), (double)rate, 0.001);
	}
}

TEST(what_is_not_later_takes_no_time)
{
	ep_stamps_begin();
	CHECK_INT(ep_stamps_ns(5, 5), 0);
	CHECK_INT(ep_stamps_ns(6, 5), 0);
}

TEST(so_many_stamps_take_no_longer)
{
	uint64_t start_ns;

	ep_stamps_begin();
	CHECK(ep_stamps_in(TURN_NS) >= TURN_NS); /* no rate yet: 1 GHz */
	start_ns = ep_now_ns(CLOCK_MONOTONIC);
	until(start_ns + 3 * TURN_NS);
	while (ep_stamps.are_of_counter && !ep_stamps.ns_rate)
		ep_stamps_ns(1, 2);
	CHECK_CLOSE((double)ep_stamps_ns(1, 1 + ep_stamps_in(TURN_NS)), TURN_NS, 0.01);
}
