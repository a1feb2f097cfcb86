// SPDX-License-Identifier: BSD-3-Clause
/* The interpolations at and between samples; pchip against scipy 1.10's PchipInterpolator. */
#include "reporter/estimate/interpolate.h"

#include "tests/unit/test.h"

static uint32_t at[] = { 1, 4, 6, 9 };
static const struct ep_sampled samples = { 4, at };
/* only the slices of at are read */
static const double y[11] = { -7, 2, -7, -7, 8, -7, 9, -7, -7, 3, -7 };

TEST(fixed_holds_the_last_sample)
{
	static const double expected[11] = { 2, 2, 2, 2, 8, 8, 9, 9, 9, 3, 3 };
	double out[11];

	ep_interpolate_fixed(&samples, y, 11, out);
	for (int t = 0; t < 11; t++)
		CHECK_CLOSE(out[t], expected[t], 0);
}

TEST(linear_draws_straight_lines)
{
	static const double expected[11] = { 2, 2, 4, 6, 8, 8.5, 9, 7, 5, 3, 3 };
	double out[11];

	ep_interpolate_linear(&samples, y, 11, out);
	for (int t = 0; t < 11; t++)
		CHECK_CLOSE(out[t], expected[t], 1e-15);
}

TEST(pchip_keeps_the_shape)
{
	/* scipy's end slopes are replaced by 0: CubicHermiteSpline(at, y, [0, d1, 0, 0]) with
	 * d1 = 0.7692307692307693 from PchipInterpolator(at, y).derivative()(4) */
	static const double expected[11] = { 2, 2, 3.3846153846153846, 6.102564102564102, 8,
		8.692307692307692, 9, 7.444444444444445, 4.555555555555555, 3, 3 };
	double out[11];

	ep_interpolate_pchip(&samples, y, 11, out);
	for (int t = 0; t < 11; t++)
		CHECK_CLOSE(out[t], expected[t], 1e-12);
}

TEST(one_sample_is_held_everywhere)
{
	uint32_t only = 5;
	const struct ep_sampled one = { 1, &only };
	double values[8] = { [5] = 42 }, out[8];

	ep_interpolate_linear(&one, values, 8, out);
	CHECK_CLOSE(out[0], 42, 0);
	CHECK_CLOSE(out[7], 42, 0);
	ep_interpolate_pchip(&one, values, 8, out);
	CHECK_CLOSE(out[7], 42, 0);
	ep_interpolate_fixed(&one, values, 8, out);
	CHECK_CLOSE(out[0], 42, 0);
}
