// SPDX-License-Identifier: BSD-3-Clause
/* Which waits are noted: all at first, then by their length, so that sums are right on average. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
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
	/* 10000 points, sqrt(1 / 10000) in all and as much, of a half, in either kind: five deviations */
	CHECK_CLOSE((double)long_ns / (double)(long_ns + short_ns), 0.5, 0.05);
	CHECK_CLOSE((double)(long_ns + short_ns) / (100000.0 * 300 * US), 1, 0.05);
	CHECK_CLOSE((double)n / 100000, 1, 0.07);
}

struct phase {
	uint64_t wait_ns, cpu_ns;
	int n;
};

/* Time that may pass without a look, and how much of it has. */
static uint64_t room_ns, passed_ns;

/* As the hooks do it: waits are passed over without a look while there is room. */
static uint64_t take_if_near(uint64_t ns)
{
	uint64_t stands_ns;

	if (passed_ns + 3 * ns <= room_ns) {
		passed_ns += ns;
		return 0;
	}
	ep_wait_choice_pass(&choice, passed_ns);
	stands_ns = ep_wait_choice_take(&choice, ns);
	passed_ns = 0;
	return stands_ns;
}

/* Adds what each phase's waits stood for. Each wait is after so much CPU time. */
static void live(const struct phase phases[2], uint64_t *cpu_ns, double out_stands_ns[2])
{
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < phases[k].n; i++) {
			uint64_t stands_ns = take_if_near(phases[k].wait_ns);

			*cpu_ns += phases[k].cpu_ns;
			out_stands_ns[k] += (double)stands_ns;
			if (stands_ns) {
				ep_wait_choice_learn(&choice, stands_ns, *cpu_ns, false);
				*cpu_ns = 0;
			}
			if (!passed_ns)
				room_ns = ep_wait_choice_room(&choice);
		}
}

/* The step is another one in each phase, and the waits after a change of phase are the same each time. Sums of
 * 40 threads have a deviation of 1.5 % at most. The seeds are fixed: the test cannot fail by chance. */
TEST(places_are_right_on_average_while_the_step_changes)
{
	static const struct phase rows[][2] = {
		{ { 1 * MS, 1 * MS, 300 }, { 10 * MS, 10 * US, 300 } },
		{ { 200 * US, 5 * MS, 20 }, { 3 * MS, 10 * US, 100 } },
		{ { 300 * US, 300 * US, 1 }, { 1 * MS, 20 * US, 1 } },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		double stands_ns[2] = { 0 };
		int n_rounds = 60000 / (rows[i][0].n + rows[i][1].n);

		for (uint64_t seed = 0; seed < 40; seed++) {
			uint64_t cpu_ns = 0;

			ep_wait_choice_start(&choice, 777 + 13 * seed);
			room_ns = passed_ns = 0;
			for (int round = 0; round < n_rounds; round++)
				live(rows[i], &cpu_ns, stands_ns);
		}
		for (int k = 0; k < 2; k++) {
			double lived_ns =
				40.0 * n_rounds * rows[i][k].n * (double)rows[i][k].wait_ns;

			CHECK_CLOSE(stands_ns[k] / lived_ns, 1, 0.03);
		}
	}
}

TEST(what_lasts_a_step_finds_no_room)
{
	begin(1, 2 * MS);
	for (int i = 0; i < 1000; i++) {
		CHECK(ep_wait_choice_room(&choice) <= choice.step_ns);
		ep_wait_choice_take(&choice, 300 * US);
	}
	ep_wait_choice_start(&choice, 1); /* all are noted */
	CHECK_INT(ep_wait_choice_room(&choice), 0);
}

TEST(the_step_follows_what_the_thread_does)
{
	begin(1, 1000 * MS);
	for (int i = 0; i < 4000; i++)
		ep_wait_choice_learn(&choice, 1 * MS, EP_WAIT_CHOICE_CPU_MAX_NS, false);
	CHECK(choice.step_ns > 900 * US && choice.step_ns < 1100 * US);
}

/* Each of them waits 1 ms in 1 ms of CPU time: a step is the CPU time that pays for a wait. */
TEST(a_thread_that_has_run_for_long_pays_more_for_a_wait)
{
	ep_wait_choice_start(&choice, 1);
	for (int i = 1; i <= 4000; i++) {
		uint64_t part_ns = (uint64_t)i * MS / EP_WAIT_CHOICE_CPU_PARTS;

		ep_wait_choice_learn(&choice, 1 * MS, 1 * MS, false);
		if (part_ns < EP_WAIT_CHOICE_CPU_NS)
			part_ns = EP_WAIT_CHOICE_CPU_NS;
		if (part_ns > EP_WAIT_CHOICE_CPU_MAX_NS)
			part_ns = EP_WAIT_CHOICE_CPU_MAX_NS;
		CHECK_CLOSE((double)choice.step_ns / (double)part_ns, 1, 0.01);
	}
}
