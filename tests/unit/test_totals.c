// SPDX-License-Identifier: BSD-3-Clause
/* Sums that are made to agree with what is expected, by hand. */
#include "reporter/estimate/totals.h"

#include "common/cleanup.h"
#include "tests/unit/test.h"

enum { T = 5 };

/* Slices 1 and 4 are measured. */
static const unsigned char measured[T] = { 0, 1, 0, 0, 1 };

TEST(a_sum_is_of_all_and_its_error_of_what_was_not_measured)
{
	double values[T] = { 1, 10, 2, 3, 20 }, errors[T] = { 3, 100, 0, 4, 100 };
	struct ep_total_row row = { T, values, errors, measured };
	struct ep_sum sum = ep_total_row_sum(&row, 4);

	CHECK_CLOSE(sum.value, 36, 1e-12);
	CHECK_CLOSE(sum.error, 10, 1e-12); /* sqrt((9 + 16) * 4) */
}

/* Unmeasured 60, 0 and 30 with errors 5, 5 and 20: what mean makes of them. */
TEST(values_move_largest_first_by_their_errors)
{
	static const struct {
		double mean, expected[T];
		const char *what;
	} rows[] = {
		{ 91.5, { 60, 7, 0, 30, 9 }, "below 2 % of the mean it is noise" },
		{ 90 / 1.02, { 60, 7, 0, 30, 9 }, "downwards, too" },
		/* 100: 10 are missing, 2 of them noise */
		{ 100, { 65, 7, 0, 33, 9 }, "up: the largest by 5, the next by what is left" },
		/* 50: 40 too many, 1 of them noise; 5 and 20 are not enough; twice that is */
		{ 50, { 45, 7, 0, 6, 9 }, "down: bounds double" },
		{ 0, { 0, 7, 0, 0, 9 }, "none goes below zero" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		double values[T] = { 60, 7, 0, 30, 9 }, errors[T] = { 5, 1e9, 5, 20, 1e9 };
		struct ep_total_row row = { T, values, errors, measured };

		CHECK_INT(ep_totals_settle(&row, rows[i].mean), 0);
		for (int t = 0; t < T; t++)
			CHECK_MSG(fabs(values[t] - rows[i].expected[t]) < 1e-9,
				"%s: slice %d is %g, expected %g", rows[i].what, t, values[t],
				rows[i].expected[t]);
	}
}

TEST(of_equal_values_the_first_moves_first)
{
	double values[T] = { 50, 0, 50, 50, 0 }, errors[T] = { 5, 0, 5, 5, 0 };
	struct ep_total_row row = { T, values, errors, measured };

	/* 158: 8 missing less 3.16 of noise */
	CHECK_INT(ep_totals_settle(&row, 158), 0);
	CHECK_CLOSE(values[0], 54.84, 1e-12);
	CHECK_CLOSE(values[2], 50, 0);
	CHECK_CLOSE(values[3], 50, 0);
}

TEST(without_errors_nothing_can_move)
{
	double values[T] = { 50, 0, 50, 50, 0 }, errors[T] = { 0 };
	struct ep_total_row row = { T, values, errors, measured };

	CHECK_INT(ep_totals_settle(&row, 1e6), 0);
	CHECK_CLOSE(values[0] + values[2] + values[3], 150, 0);
}
