// SPDX-License-Identifier: BSD-3-Clause
/* Series to rates, exposures and context, worked out by hand; windows and hidden samples. */
#include "reporter/estimate/grid.h"

#include <math.h>

#include "reporter/estimate/estimate.h"
#include "tests/unit/test.h"

enum { T = 4, E = 3 };

static const char *const names[E] = { "CYCLES", "INSTR", "X" };
static const unsigned char always[E] = { 1, 1, 0 };
/* (T, E) a slice of half the mean clock, one without a clock */
static const double values[T * E] = { 100, 150, 5, 300, 300, 0, 200, 100, 8, 0, 0, 7 };
static const unsigned char measured[T * E] = { 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1 };
static const struct ep_series series = { T, E, names, values, measured, always, 0, 1 };

TEST(rates_are_counts_per_mean_slice)
{
	static const double exposure[T] = { 0.5, 1.5, 1, 1 }; /* the mean of 100, 300, 200 is 200 */
	static const double x[T] = { 10, 0, 8, 7 };
	EP_AUTOGRID struct ep_grid g = { 0 };

	CHECK_INT(ep_grid_init(&g, &series), 0);
	CHECK_INT(g.n_all, T);
	for (int t = 0; t < T; t++) {
		CHECK_CLOSE(g.exposure[t], exposure[t], 1e-15);
		CHECK_CLOSE(g.rates[2 * T + t], x[t], 1e-15);
		CHECK_INT(g.measured[2 * T + t], t != 1);
		CHECK_INT(g.wanted[2 * T + t], t == 1);
	}
	CHECK_INT(g.samples[0].n, T);
	CHECK_INT(g.samples[2].n, 3);
	CHECK(g.samples[2].at[0] == 0 && g.samples[2].at[1] == 2 && g.samples[2].at[2] == 3);
	CHECK(g.always[0] && g.always[1] && !g.always[2]);
}

/* The highest work rate seen is 150 / 100: two slots a tick. */
TEST(context_is_what_clock_and_work_say)
{
	EP_AUTOGRID struct ep_grid g = { 0 };

	CHECK_INT(ep_grid_init(&g, &series), 0);
	CHECK(g.has_context);
	CHECK_CLOSE(g.context[0], log((2 * 100 - 150) / 100.0), 1e-6);
	CHECK_CLOSE(g.context[T], log(1.5), 1e-6);
	CHECK_CLOSE(g.idle[0], log1p(50 / 0.5), 1e-6);
	CHECK_CLOSE(g.context[1], log((2 * 300 - 300) / 300.0), 1e-6);
	CHECK_CLOSE(g.idle[2], log1p(2 * 200 - 100), 1e-6);
	/* nothing at all counts as one of each */
	CHECK_CLOSE(g.context[3], 0, 0);
	CHECK_CLOSE(g.idle[3], log1p(1), 1e-6);
}

TEST(without_a_clock_there_is_no_context)
{
	struct ep_series bare = series;
	EP_AUTOGRID struct ep_grid g = { 0 };

	bare.clock = bare.work = -1;
	CHECK_INT(ep_grid_init(&g, &bare), 0);
	CHECK(!g.has_context);
	for (int t = 0; t < T; t++) {
		CHECK_CLOSE(g.exposure[t], 1, 0);
		CHECK(g.context[t] == 0 && g.context[T + t] == 0 && g.idle[t] == 0);
	}
	CHECK_CLOSE(g.rates[2 * T], 5, 0);
}

TEST(a_window_is_a_copy_that_knows_its_place)
{
	EP_AUTOGRID struct ep_grid g = { 0 };
	EP_AUTOGRID struct ep_grid outer = { 0 };
	EP_AUTOGRID struct ep_grid inner = { 0 };

	CHECK_INT(ep_grid_init(&g, &series), 0);
	CHECK_INT(ep_grid_window(&outer, &g, 1, T), 0);
	CHECK_INT(ep_grid_window(&inner, &outer, 1, 3), 0);
	CHECK_INT(inner.n_slices, 2);
	CHECK_INT(inner.first_slice, 2);
	CHECK_INT(inner.n_all, T);
	CHECK(inner.has_context);
	CHECK_CLOSE(inner.rates[2 * 2], 8, 1e-15);
	CHECK_CLOSE(inner.rates[2 * 2 + 1], 7, 1e-15);
	CHECK(inner.context[0] == g.context[2] && inner.context[2] == g.context[T + 2]);
	CHECK(inner.idle[0] == g.idle[2] && inner.exposure[0] == g.exposure[2]);
	CHECK_INT(inner.samples[2].n, 2);
	CHECK_INT(inner.samples[2].at[0], 0);
	CHECK(inner.words[2] == g.words[2] && !inner.always[2]);
}

TEST(hidden_samples_are_what_is_wanted)
{
	EP_AUTOGRID struct ep_grid g = { 0 };

	CHECK_INT(ep_grid_init(&g, &series), 0);
	for (unsigned fold = 0; fold < 2; fold++) {
		EP_AUTOGRID struct ep_grid hidden = { 0 };
		uint32_t n_kept = fold ? 2 : 1;

		CHECK_INT(ep_grid_hide(&hidden, &g, fold, 2), 0);
		CHECK_INT(hidden.samples[0].n, T); /* what is always on stays */
		CHECK_INT(hidden.samples[2].n, n_kept);
		for (uint32_t k = 0; k < 3; k++) {
			uint32_t cell = 2 * T + g.samples[2].at[k];
			bool is_hidden = k % 2 == fold;

			CHECK_INT(hidden.wanted[cell], is_hidden);
			CHECK_INT(hidden.measured[cell], !is_hidden);
			CHECK((hidden.rates[cell] == 0) == is_hidden);
		}
		CHECK_INT(hidden.wanted[2 * T + 1], 0); /* a gap before: nobody knows the truth */
		ep_grid_want_gaps(&hidden);
		CHECK_INT(hidden.wanted[2 * T + 1], 1);
	}
}
