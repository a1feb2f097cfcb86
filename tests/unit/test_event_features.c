// SPDX-License-Identifier: BSD-3-Clause
/* Outline of the samples, distance to the run's ends, words of the name. */
#include "reporter/estimate/event_features.h"

#include "reporter/estimate/estimate.h"
#include "reporter/estimate/event_words.h"
#include "tests/unit/test.h"

enum { T = 40, N = EP_N_OUTLINE + EP_N_ENDS + EP_N_WORDS };

/* LL_MISS measured in even slices: 0 but for 7 in slice 2, 55 in slice 20 and 20 in slice 38. */
static void make(struct ep_grid *out)
{
	static const char *const names[] = { "LL_MISS" };
	static double values[T];
	static unsigned char measured[T];
	static const unsigned char always[] = { 0 };
	struct ep_series s = { T, 1, names, values, measured, always, -1, -1 };

	for (int t = 0; t < T; t++)
		measured[t] = t % 2 == 0;
	values[2] = 7;
	values[20] = 55;
	values[38] = 20;
	CHECK_INT(ep_grid_init(out, &s), 0);
}

TEST(the_outline_is_of_measured_counts)
{
	EP_AUTOGRID struct ep_grid g = { 0 };
	static float x[T][N];

	make(&g);
	ep_event_features(&g, 0, x[0], N);
	for (int t = 0; t < T; t += 13) {
		CHECK_CLOSE(x[t][0], log(56) / 5 - 1, 1e-6);
		CHECK_CLOSE(x[t][1], log1p(82 / 20.0) / 5 - 1, 1e-6);
		CHECK_CLOSE(x[t][2], (log(8) + log(56) + log(21)) / 3 / 5 - 1, 1e-6);
		CHECK_CLOSE(x[t][3], log(4) / 3 - 1, 1e-6);
		CHECK_CLOSE(x[t][4], log(8) / 5 - 1, 1e-6);
		CHECK_CLOSE(x[t][5], log(21) / 5 - 1, 1e-6);
	}
}

TEST(ends_are_the_run_s)
{
	EP_AUTOGRID struct ep_grid g = { 0 };
	EP_AUTOGRID struct ep_grid part = { 0 };
	static float x[T][N], y[10][N];

	make(&g);
	ep_event_features(&g, 0, x[0], N);
	CHECK_CLOSE(x[0][EP_N_OUTLINE], 3, 1e-6);
	CHECK_CLOSE(x[4][EP_N_OUTLINE + 1], 2 * exp(-1), 1e-6);
	CHECK_CLOSE(x[T - 1][EP_N_OUTLINE + 2], 2, 1e-6);
	CHECK_INT(ep_grid_window(&part, &g, 18, 28), 0);
	ep_event_features(&part, 0, y[0], N);
	CHECK_CLOSE(y[0][4], -1, 1e-6); /* the window has no sample of the run's first slices */
	CHECK_CLOSE(y[0][5], -1, 1e-6);
	for (int i = 0; i < EP_N_ENDS; i++)
		CHECK_CLOSE(y[3][EP_N_OUTLINE + i], x[21][EP_N_OUTLINE + i], 1e-6);
}

TEST(words_are_flags)
{
	EP_AUTOGRID struct ep_grid g = { 0 };
	static float x[T][N];

	make(&g);
	ep_event_features(&g, 0, x[0], N);
	for (int i = 0; i < EP_N_WORDS; i++) {
		bool said = i == EP_WORD_MISS || i == EP_WORD_LAST_LEVEL;
		CHECK_CLOSE(x[5][EP_N_OUTLINE + EP_N_ENDS + i], said ? 2 : 0, 0);
	}
}
