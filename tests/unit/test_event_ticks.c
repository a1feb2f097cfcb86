// SPDX-License-Identifier: BSD-3-Clause
/* The slices of a window become one slice, also where the counters ran in some of them only. */
#include "tests/unit/test.h"

#include "reporter/load/event_ticks.h"

enum { E = 2 };

static struct ep_trace_thread thread;

/* Puts n slices that an event ended into the window, and closes it by one that the clock ended. */
static struct ep_sample window_of(
	uint32_t n, const struct ep_sample *slices, uint64_t (*counts)[E], uint64_t *out_values)
{
	struct ep_sample last = slices[n];

	for (uint32_t i = 0; i < n; i++)
		CHECK(ep_window_take(&thread, &slices[i], 0, E, counts[i]) == 0);
	memcpy(out_values, counts[n], E * sizeof(*out_values));
	ep_window_close(&thread.window, &last, out_values);
	return last;
}

static void finish(void)
{
	free(thread.window.values);
	free(thread.pending.ticks);
	thread = (struct ep_trace_thread){ 0 };
}

TEST(sums_of_a_window)
{
	struct ep_sample slices[] = { { .cpu_us = 100, .wall_us = 110 },
		{ .cpu_us = 200, .wall_us = 210, .idle_us = 20 },
		{ .cpu_us = 300, .wall_us = 330 } };
	uint64_t counts[][E] = { { 1, 10 }, { 2, 20 }, { 3, 30 } }, values[E];
	struct ep_sample window = window_of(2, slices, counts, values);

	CHECK(values[0] == 6 && values[1] == 60);
	CHECK(window.cpu_us == 600 && window.wall_us == 650 && window.idle_us == 20);
	CHECK(window.flags == 0);
	finish();
}

TEST(slices_without_counters_are_idle_time)
{
	struct ep_sample slices[] = { { .cpu_us = 100 },
		{ .cpu_us = 50, .flags = EP_SAMPLE_NOT_RUN }, { .cpu_us = 300 } };
	uint64_t counts[][E] = { { 1, 10 }, { 0, 0 }, { 3, 30 } }, values[E];

	for (int i = 0; i < 2;
		i++) { /* the second time the last slice is the one without counters */
		struct ep_sample window = window_of(2, slices, counts, values);

		CHECK(values[0] == (i ? 1 : 4) && values[1] == (i ? 10 : 40));
		CHECK(window.cpu_us == 450 && window.idle_us == (i ? 350 : 50));
		CHECK(!(window.flags & EP_SAMPLE_NOT_RUN));
		slices[2].flags = EP_SAMPLE_NOT_RUN;
	}
	finish();
}

TEST(a_window_without_counters_is_missing)
{
	struct ep_sample slices[] = { { .cpu_us = 100, .flags = EP_SAMPLE_NOT_RUN },
		{ .cpu_us = 50, .flags = EP_SAMPLE_NOT_RUN } };
	uint64_t counts[][E] = { { 0 }, { 0 } }, values[E];
	struct ep_sample window = window_of(1, slices, counts, values);

	CHECK(window.flags & EP_SAMPLE_NOT_RUN && window.cpu_us == 150);
	finish();
}

TEST(damaged_counts_stay_damaged)
{
	struct ep_sample slices[] = { { .cpu_us = 100 }, { .cpu_us = 50 } };
	uint64_t counts[][E] = { { UINT64_MAX, 1 }, { 5, 2 } }, values[E];

	window_of(1, slices, counts, values);
	CHECK(values[0] == UINT64_MAX && values[1] == 3);
	finish();
}
