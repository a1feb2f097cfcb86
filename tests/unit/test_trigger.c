// SPDX-License-Identifier: BSD-3-Clause
/* Draws have the geometric distribution that they claim, and every event of a plan is armed as often. */
#include "tests/unit/test.h"

#include <math.h>

#include "common/cleanup.h"
#include "common/trace.h"
#include "preload/recording/trigger.h"

#define N_DRAWS 200000

/* Pearson's statistic of 12 cells that are equally likely: 11 degrees of freedom, of which 99.9999 %
 * lie below 52. The seed is fixed, so that the test cannot fail by chance. */
static double chi_square(uint32_t rarity)
{
	uint64_t chance = 12345 + rarity;
	double p = ldexp(1, -(int)rarity), n[12] = { 0 }, expected[12] = { 0 }, sum = 0;
	uint64_t upper[12];

	for (int c = 0; c < 12; c++) {
		double at = ceil(log1p(-(c + 1) / 12.0) / log1p(-p));

		upper[c] = c == 11 ? UINT64_MAX : (uint64_t)fmax(1, at);
		expected[c] = c == 11 ? 1 : -expm1((double)upper[c] * log1p(-p));
	}
	for (int i = 0; i < N_DRAWS; i++) {
		uint64_t draw = ep_trigger_draw(&chance, rarity);
		int c = 0;

		while (draw > upper[c])
			c++;
		n[c]++;
	}
	for (int c = 0; c < 12; c++) {
		double mean = N_DRAWS * (expected[c] - (c ? expected[c - 1] : 0));

		if (mean > 0)
			sum += (n[c] - mean) * (n[c] - mean) / mean;
	}
	return sum;
}

TEST(draws_are_geometric)
{
	static const uint32_t rarities[] = { 1, 2, 3, 4, 7, 12, 20, EP_RARITY_MAX };

	for (size_t i = 0; i < EP_ARRAY_SIZE(rarities); i++)
		CHECK(chi_square(rarities[i]) < 52);
}

TEST(every_occurrence_ends_a_slice_at_rarity_0)
{
	uint64_t chance = 1;

	for (int i = 0; i < 100; i++)
		CHECK_INT(ep_trigger_draw(&chance, 0), 1);
}

/* Two groups of an always-on event and two others, and one that cannot interrupt. */
static struct ep_plan plan = {
	.n_events = 6,
	.n_groups = 2,
	.groups = {
		{ .n_events = 3, .events = { 0, 1, 2 } },
		{ .n_events = 4, .events = { 0, 3, 4, 5 } },
	},
	.events = {
		{ .flags = EP_EVENT_ALWAYS | EP_EVENT_TICKS },
		{ .flags = EP_EVENT_TICKS },
		{ .flags = EP_EVENT_TICKS },
		{ .flags = EP_EVENT_TICKS },
		{ .flags = EP_EVENT_TICKS },
		{ .flags = 0 },
	},
};

TEST(every_event_is_armed_as_often)
{
	static const uint64_t counts[4];
	struct ep_trigger trigger;
	uint32_t n[6] = { 0 };

	ep_trigger_init(&trigger, 7);
	for (uint32_t g = 0; g < 2; g++)
		ep_trigger_end_window(&trigger, g);
	for (int i = 0; i < 50000; i++) {
		ep_trigger_choose(&trigger, &plan, i % 2, counts);
		CHECK(trigger.member >= 0);
		n[trigger.event]++;
	}
	for (int e = 0; e < 5; e++)
		CHECK(n[e] > 9500 && n[e] < 10500);
	CHECK_INT(n[5], 0);
}

TEST(nothing_is_armed_before_anything_is_known)
{
	static const uint64_t counts[4];
	struct ep_trigger trigger;

	ep_trigger_init(&trigger, 0);
	ep_trigger_choose(&trigger, &plan, 0, counts);
	CHECK(trigger.member < 0);
	CHECK_INT(ep_trigger_flags(&trigger), 0);
}

TEST(the_rarity_follows_from_the_counts_so_far)
{
	static const uint64_t counts[4] = { 1 << 20, 1 << 20, 1 << 20, 1 << 20 };
	struct ep_trigger trigger;

	ep_trigger_init(&trigger, 3);
	for (int i = 0; i < 16; i++)
		ep_trigger_end_window(&trigger, 0);
	ep_trigger_choose(&trigger, &plan, 0, counts);
	CHECK_INT(trigger.rarity, 16);
	CHECK_INT(ep_sample_rarity(ep_trigger_flags(&trigger)), 16);
	CHECK_INT(ep_sample_trigger(ep_trigger_flags(&trigger)), (int)trigger.event);
	for (int i = 0; i < 4; i++)
		ep_trigger_again(&trigger);
	CHECK_INT(trigger.rarity, 17);
}

/* Our own handler's occurrences end a short draw many times, whatever ends the slice. */
TEST(a_draw_that_ends_more_than_once)
{
	static const struct {
		uint64_t period, count;
		bool ran_over;
	} cases[] = { { 400, 799, false }, { 400, 800, true }, { 1, 1, false }, { 3, 788, true } };
	struct ep_trigger trigger;

	ep_trigger_init(&trigger, 5);
	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		uint64_t counts[2] = { 1 << 20, cases[i].count };

		trigger.member = 1;
		trigger.period = cases[i].period;
		ep_trigger_note_counts(&trigger, counts);
		CHECK_INT(trigger.ran_over, cases[i].ran_over);
		trigger.member = -1;
		ep_trigger_note_counts(&trigger, counts);
		CHECK(!trigger.ran_over);
	}
}
