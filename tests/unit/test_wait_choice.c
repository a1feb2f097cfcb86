// SPDX-License-Identifier: BSD-3-Clause
/* Which waits are noted: all at first, then by their length, so that sums are right on average. */
#include "tests/unit/test.h"

#include "preload/thread/wait_choice.h"

enum { US = 1000, MS = 1000 * US };

static struct ep_wait_choice choice;

/* A thread that has waited so long for each ms of CPU time. */
static void begin(uint64_t seed, uint64_t waited_ns)
{
	ep_wait_choice_start(&choice, seed);
	ep_wait_choice_learn(&choice, 10 * waited_ns, 10 * EP_WAIT_CHOICE_CPU_NS, false);
}

TEST(the_first_are_all_noted)
{
	ep_wait_choice_start(&choice, 1);
	for (int i = 0; i < 100; i++) {
		CHECK_INT(ep_wait_choice_take(&choice, 300 * US), 300 * US);
		ep_wait_choice_learn(&choice, 300 * US, 10 * US, true);
	}
	CHECK_INT(choice.step_ns, 0);
}

TEST(cpu_time_pays_for_those_that_are_noted)
{
	begin(1, 2 * MS);
	CHECK(choice.step_ns > 1900 * US && choice.step_ns <= 2 * MS);
	begin(1, 1000 * MS); /* waits nearly all the time */
	CHECK_INT(choice.step_ns, EP_WAIT_CHOICE_MAX_NS);
	begin(1, 0);
	CHECK_INT(ep_wait_choice_take(&choice, 300 * US), 300 * US);
}

TEST(long_waits_are_noted_for_themselves)
{
	begin(1, 1000ull * MS);
	for (uint64_t ns = EP_WAIT_CHOICE_MAX_NS; ns < 1000 * MS; ns *= 3)
		CHECK_INT(ep_wait_choice_take(&choice, ns), ns);
}

/* A long one and three short ones in turn: each kind gets its part, which is half. */
TEST(any_length_gets_its_part)
{
	uint64_t long_ns = 0, short_ns = 0, n = 0;

	begin(7, 3 * MS);
	for (int i = 0; i < 100000; i++) {
		uint64_t ns = i % 4 ? 200 * US : 600 * US;
		uint64_t stands_ns = ep_wait_choice_take(&choice, ns);

		*(i % 4 ? &short_ns : &long_ns) += stands_ns;
		n += stands_ns ? ep_wait_choice_round(&choice, stands_ns, ns) : 0;
	}
	/* 10000 points, sqrt(1 / 10000 / 4) of either kind: five deviations */
	CHECK_CLOSE((double)long_ns / (double)(long_ns + short_ns), 0.5, 0.05);
	CHECK_CLOSE((double)(long_ns + short_ns) / (100000.0 * 300 * US), 1, 0.01);
	CHECK_CLOSE((double)n / 100000, 1, 0.03);
}

TEST(the_step_follows_what_the_thread_does)
{
	begin(1, 1000 * MS);
	for (int i = 0; i < 4000; i++)
		ep_wait_choice_learn(&choice, 1 * MS, 4 * MS, false);
	CHECK(choice.step_ns > 900 * US && choice.step_ns < 1100 * US);
}
