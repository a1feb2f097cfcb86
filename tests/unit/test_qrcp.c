// SPDX-License-Identifier: BSD-3-Clause
/* Which candidates are picked and in what order, on columns small enough to do by hand. */
#include "kernels/derive/qrcp.h"

#include <math.h>

#include "common/cleanup.h"
#include "tests/unit/test.h"

static const double alpha = 1e-3;

TEST(scores)
{
	static const struct {
		double x[3], score;
	} rows[] = {
		{ { 1, 0, 0 }, 1 },
		{ { 3, 0, 0 }, 3 },
		{ { -3, 1, 0 }, 4 },
		{ { 0.25, 0, 2 }, 6 },       /* below one its inverse counts */
		{ { 1.0004, 0, 0 }, 1 },     /* rounded to the grid */
		{ { 1, 0.0004, -1e-9 }, 1 }, /* to nothing */
		{ { 0, 0, 0 }, 0 },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		CHECK_CLOSE(ep_qrcp_score(rows[i].x, 3, alpha), rows[i].score, 1e-12);
}

/* x: columns of two; picked: candidates in their order, -1 behind the last. */
static const struct {
	const char *what;
	size_t n;
	double x[10];
	int picked[3];
} cases[] = {
	{ "the smallest score", 3, { 3, 0, 0, 2, 1, 0 }, { 2, 1, -1 } },
	{ "of the same score the smallest norm", 3, { 2, 0, 0.5, 0, 0, 5 }, { 1, 2, -1 } },
	{ "of the same norm the first", 3, { 1, 0, 1, 0, 0, 5 }, { 0, 2, -1 } },
	/* behind (1,0), of (1,1) only (0,1) is left: its norm is below that of (0,2) */
	{ "the norm of what is left", 3, { 1, 0, 0, 2, 1, 1 }, { 0, 2, -1 } },
	{ "nothing of what depends on others", 3, { 1, 0, 2, 0, -7, 0 }, { 0, -1 } },
	{ "nothing of noise", 2, { 1e-5, 0, 0, 1e-4 }, { -1 } },
	{ "at most as many as there are dimensions", 4, { 1, 0, 0, 1, 1, 1, 2, 3 }, { 0, 1, -1 } },
};

TEST(picks)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		struct ep_pivot pivots[2];
		size_t n = 0, k = 0;

		CHECK_INT(ep_qrcp(cases[i].x, cases[i].n, 2, alpha, pivots, &n), 0);
		for (; k < n; k++)
			CHECK_MSG((int)pivots[k].candidate == cases[i].picked[k], "%s: %zu is %zu",
				cases[i].what, k, pivots[k].candidate);
		CHECK_MSG(cases[i].picked[k] == -1, "%s: only %zu", cases[i].what, n);
	}
}

TEST(pivots_say_score_and_norm)
{
	static const double x[] = { 1, 0, 3, 4 };
	struct ep_pivot pivots[2];
	size_t n;

	CHECK_INT(ep_qrcp(x, 2, 2, alpha, pivots, &n), 0);
	CHECK_INT(n, 2);
	CHECK_CLOSE(pivots[0].norm, 1, 1e-15);
	CHECK_CLOSE(pivots[1].score, 7, 1e-12);
	CHECK_CLOSE(pivots[1].norm, 4, 1e-15); /* (3,4) without its part along (1,0) */
}
