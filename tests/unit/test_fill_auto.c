// SPDX-License-Identifier: BSD-3-Clause
/* `auto` chooses between the place in the program and the others, by stretches it could compare. */
#include "tests/unit/test.h"

#include <math.h>

#include "reporter/fill/fill_auto.h"
#include "tests/unit/filled_stretch.h"

static struct ep_fill_events events = {
	.n_events = 2, .names = (const char **)names, .always = always
};

/* A stretch with one count of its event, so that none can be hidden and nothing is compared. */
static void fill_without_comparison(void *process)
{
	begin(40, 2);
	for (uint32_t i = 0; i < 40; i++) {
		data.places[i] = data.sites[i] = 7;
		put(i, 0, 1000, true);
		put(i, 1, 500, i == 20);
	}
	ep_filler_auto.fill(process, &stretch);
}

/* A stretch whose rate follows the time while every slice is in another of 40 places. */
static void fill_by_slow_wave(void *process)
{
	begin(1000, 2);
	for (uint32_t i = 0; i < 1000; i++) {
		data.places[i] = data.sites[i] = 1 + i * 7 % 40;
		put(i, 0, 1000, true);
		put(i, 1, 1000 + 900 * sin(i / 30.), i % 3 == 0);
	}
	ep_filler_auto.fill(process, &stretch);
}

/* A stretch of two places by turns, which time cannot tell apart. */
static void fill_by_two_places(void *process)
{
	begin(1000, 2);
	for (uint32_t i = 0; i < 1000; i++) {
		data.places[i] = data.sites[i] = 1 + i / 3 % 2;
		put(i, 0, 1000, true);
		put(i, 1, i / 3 % 2 ? 900 : 100, i % 4 == 0);
	}
	ep_filler_auto.fill(process, &stretch);
}

/* Without anything to compare path is taken, but it has not shown that it is better. */
TEST(only_compared_stretches_settle_the_choice)
{
	void *process = ep_filler_auto.process_create(&events);

	for (int i = 0; i < 6; i++) {
		fill_without_comparison(process);
		CHECK_STR(data.quality[1].estimator, "path");
	}
	fill_by_slow_wave(process);
	CHECK(data.quality[1].estimator && strcmp(data.quality[1].estimator, "path"));
	ep_filler_auto.process_destroy(process);
}

/* After four stretches won, and none lost, path fills the wave that it would lose. */
TEST(stretches_won_settle_the_choice)
{
	void *process = ep_filler_auto.process_create(&events);

	for (int i = 0; i < 4; i++) {
		fill_by_two_places(process);
		CHECK_STR(data.quality[1].estimator, "path");
	}
	fill_by_slow_wave(process);
	CHECK_STR(data.quality[1].estimator, "path");
	ep_filler_auto.process_destroy(process);
}
