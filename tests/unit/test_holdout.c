// SPDX-License-Identifier: BSD-3-Clause
/* Scores of estimators by hidden samples, against sums worked out by hand. */
#include "reporter/estimate/holdout.h"

#include <math.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/estimate/estimate.h"
#include "tests/unit/test.h"

TEST(error_is_the_mean_over_what_was_scored)
{
	struct ep_residuals r = { .relative_sum = 3, .scored = 4 };

	CHECK_CLOSE(ep_residuals_error(&r), 0.75, 0);
	r.scored = 0;
	CHECK(isnan(ep_residuals_error(&r)));
}

TEST(correlation_lies_between_none_and_nearly_all)
{
	static const struct {
		double square_sum, lag_sum, expected;
	} rows[] = { { 4, 1, 0.25 }, { 4, -1, 0 }, { 4, 8, 0.99 }, { 0, 0, 0 } };

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_residuals r = { .square_sum = rows[i].square_sum,
			.lag_sum = rows[i].lag_sum };

		CHECK_CLOSE(ep_residuals_correlation(&r), rows[i].expected, 1e-15);
	}
}

TEST(width_holds_95_of_100_and_is_drawn_towards_one)
{
	float ratios[100];
	struct ep_residuals r = { .ratios = ratios };

	CHECK_CLOSE(ep_residuals_width(&r, 10), 1, 0); /* nothing hidden: nothing known */
	for (int i = 0; i < 100; i++)
		ratios[i] = (float)(i * 37 % 100 + 1) / 10; /* 0.1 to 10, in no order */
	r.n = 100;
	/* 0.95 * 101 rounded up: the 96th smallest */
	CHECK_CLOSE(ep_residuals_width(&r, 0), 9.6, 1e-6);
	CHECK_CLOSE(ep_residuals_width(&r, 100), sqrt(9.6), 1e-6);
	r.n = 10;
	for (int i = 0; i < 10; i++)
		ratios[i] = i < 9 ? 2 : 1000;
	CHECK_CLOSE(ep_residuals_width(&r, 0), 50, 1e-12); /* not beyond 50 */
	for (int i = 0; i < 10; i++)
		ratios[i] = 1e-6f;
	CHECK_CLOSE(ep_residuals_width(&r, 0), 0.02, 1e-12);
}

static size_t fixed_idx(void)
{
	size_t k = 0;

	while (strcmp(ep_estimators[k].name, "fixed"))
		k++;
	return k;
}

static void hold_out_fixed(const struct ep_series *series, struct ep_holdout *out)
{
	EP_AUTOGRID struct ep_grid g = { 0 };

	CHECK_INT(ep_grid_init(&g, series), 0);
	CHECK_INT(ep_holdout_init(out, series->n_events), 0);
	CHECK_INT(ep_holdout_add(out, &g, NULL, 1u << fixed_idx(), 2), 0);
}

/* One event that is 1 and 10 by turns, and one that is always on; two folds hide one and the
 * other, and what holds the last sample says the neighbour's value each time. */
TEST(every_sample_is_hidden_once)
{
	enum { T = 12 };
	static const char *const names[] = { "X", "A" };
	static const unsigned char always[] = { 0, 1 };
	double values[2 * T];
	unsigned char measured[2 * T];
	const struct ep_series series = { T, 2, names, values, measured, always, -1, -1 };
	struct ep_holdout h;
	const struct ep_residuals *r;

	for (int t = 0; t < T; t++) {
		values[2 * t] = t % 2 ? 10 : 1;
		values[2 * t + 1] = 5;
	}
	memset(measured, 1, sizeof(measured));
	values[2 * 10] = 0; /* a count of 0 has no relative error */
	hold_out_fixed(&series, &h);
	r = ep_holdout_of(&h, 0, fixed_idx());
	CHECK_INT(r->n, T);
	CHECK_CLOSE(r->scored, T - 1, 1e-12);
	/* 1 taken for 10: nine times off, of which the logarithm counts; 10 taken for 1, once for
	 * 0 */
	CHECK_CLOSE(r->relative_sum, 5 * (1 + log(9)) + 5 * 0.9 + 1, 1e-6);
	CHECK_INT(ep_holdout_of(&h, 1, fixed_idx())->n, 0); /* always on: nothing to judge */
	ep_holdout_finish(&h);
}

/* Ten times off, for a hundredth of the time. */
TEST(a_slice_weighs_its_time)
{
	enum { T = 12 };
	static const char *const names[] = { "X", "CLOCK" };
	static const unsigned char always[] = { 0, 1 };
	double values[2 * T];
	unsigned char measured[2 * T];
	const struct ep_series series = { T, 2, names, values, measured, always, 1, -1 };
	struct ep_holdout h;

	for (int t = 0; t < T; t++) {
		values[2 * t + 1] = t + 1 < T ? 100 : 1;
		values[2 * t] = t + 1 < T ? 100 : 10;
	}
	memset(measured, 1, sizeof(measured));
	hold_out_fixed(&series, &h);
	CHECK_CLOSE(ep_residuals_error(ep_holdout_of(&h, 0, fixed_idx())), 0.9 / 1101, 1e-6);
	ep_holdout_finish(&h);
}

TEST(few_samples_say_nothing)
{
	enum { T = 7 };
	static const char *const names[] = { "X" };
	static const unsigned char always[] = { 0 }, measured[T] = { 1, 1, 1, 1, 1, 1, 1 };
	static const double values[T] = { 1, 2, 3, 4, 5, 6, 7 };
	const struct ep_series series = { T, 1, names, values, measured, always, -1, -1 };
	struct ep_holdout h;

	hold_out_fixed(&series, &h);
	CHECK_INT(ep_holdout_of(&h, 0, fixed_idx())->n, 0);
	ep_holdout_finish(&h);
}
