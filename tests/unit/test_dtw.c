// SPDX-License-Identifier: BSD-3-Clause
/* DTW against the textbook recursion, and by hand. */
#include "reporter/estimate/dtw.h"

#include "tests/unit/test.h"

enum { MOST = 64 };

/* Row by row over the whole matrix, cells outside the band infinite. */
static double textbook(const double *a, size_t n, const double *b, size_t m, size_t band)
{
	static double cost[MOST + 1][MOST + 1];
	size_t gap = n > m ? n - m : m - n, width = band > gap ? band : gap;

	for (size_t i = 0; i <= n; i++)
		for (size_t j = 0; j <= m; j++) {
			size_t away = i > j ? i - j : j - i;
			if (!i && !j)
				cost[i][j] = 0;
			else if (!i || !j || (band && away > width))
				cost[i][j] = INFINITY;
			else
				cost[i][j] = fabs(a[i - 1] - b[j - 1]) +
					     fmin(cost[i - 1][j - 1],
						     fmin(cost[i - 1][j], cost[i][j - 1]));
		}
	return cost[n][m];
}

TEST(by_hand)
{
	const double a[] = { 0, 1, 2, 1 }, b[] = { 0, 0, 1, 2, 2, 1 }, c[] = { 3 };

	CHECK_CLOSE(ep_dtw_cost(a, 4, b, 6, 0), 0, 0);
	CHECK_CLOSE(ep_dtw_cost(a, 4, c, 1, 0), 3 + 2 + 1 + 2, 0);
	CHECK_CLOSE(ep_dtw_cost(c, 1, c, 1, 0), 0, 0);
}

TEST(equals_the_textbook)
{
	double a[MOST], b[MOST];

	srand(1);
	for (int round = 0; round < 400; round++) {
		size_t n = 1 + (size_t)rand() % MOST, m = 1 + (size_t)rand() % MOST;
		size_t band = (size_t)(round % 4) * 3;
		for (size_t i = 0; i < MOST; i++) {
			a[i] = rand() % 100;
			b[i] = rand() % 100;
		}
		CHECK_CLOSE(ep_dtw_cost(a, n, b, m, band), textbook(a, n, b, m, band), 1e-12);
	}
}

TEST(a_band_never_lowers_the_cost)
{
	const double a[] = { 9, 0, 0, 0, 0, 0 }, b[] = { 0, 0, 0, 0, 0, 9 };

	CHECK_CLOSE(ep_dtw_cost(a, 6, b, 6, 1), textbook(a, 6, b, 6, 1), 0);
	CHECK(ep_dtw_cost(a, 6, b, 6, 1) >= ep_dtw_cost(a, 6, b, 6, 0));
}

/* Steps of the path are lawful, and it costs what the least cost is. */
static void check_path(const double *a, size_t n, const double *b, size_t m)
{
	struct ep_dtw_match match = { 0 };
	double cost = 0;

	CHECK_INT(ep_dtw_match(a, n, b, m, 1, 0, &match), 0);
	CHECK_INT(match.n, n);
	CHECK_INT(match.first[0], 0);
	CHECK_INT(match.last[n - 1], m - 1);
	for (size_t i = 0; i < n; i++) {
		CHECK(match.first[i] <= match.last[i]);
		if (i)
			CHECK(match.first[i] - match.last[i - 1] <= 1);
		for (size_t j = match.first[i]; j <= match.last[i]; j++)
			cost += fabs(a[i] - b[j]);
	}
	CHECK_CLOSE(cost, ep_dtw_cost(a, n, b, m, 0), 1e-12);
	ep_dtw_match_finish(&match);
}

TEST(the_path_costs_least)
{
	double a[MOST], b[MOST];

	srand(2);
	for (int round = 0; round < 400; round++) {
		size_t n = 1 + (size_t)rand() % MOST, m = 1 + (size_t)rand() % MOST;
		for (size_t i = 0; i < MOST; i++) {
			a[i] = rand() % 100;
			b[i] = rand() % 100;
		}
		check_path(a, n, b, m);
	}
}

TEST(equal_slices_go_step_by_step_and_a_band_binds)
{
	const double flat[12] = { 0 }, late[] = { 0, 0, 0, 0, 0, 9 },
		     early[] = { 0, 9, 9, 9, 9, 9 };
	struct ep_dtw_match match;

	CHECK_INT(ep_dtw_match(flat, 6, flat, 6, 2, 0, &match), 0);
	for (uint32_t i = 0; i < 6; i++)
		CHECK(match.first[i] == i && match.last[i] == i);
	ep_dtw_match_finish(&match);
	CHECK_INT(ep_dtw_match(early, 6, late, 6, 1, 0, &match), 0);
	CHECK_INT(match.last[0], 4);
	ep_dtw_match_finish(&match);
	CHECK_INT(ep_dtw_match(early, 6, late, 6, 1, 2, &match), 0);
	CHECK(match.last[0] <= 2);
	ep_dtw_match_finish(&match);
}
