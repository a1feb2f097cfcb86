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
