// SPDX-License-Identifier: BSD-3-Clause
/* The statistic that stands for repetitions, and how far they differ. */
#include "tests/unit/test.h"

#include <math.h>

#include "kernels/derive/noise.h"

/* Five repetitions of two points; the second has one that is far off. */
static const double five[] = { 3, 10, 1, 11, 2, 9000, 5, 9, 4, 12 };

static void check_combined(size_t n_reps, enum ep_combine how, double first, double second)
{
	double out[2] = { -1, -1 };

	ep_noise_combine(five, n_reps, 2, how, out);
	CHECK_MSG(out[0] == first && out[1] == second, "%s of %zu: %g, %g", ep_combine_name[how],
		n_reps, out[0], out[1]);
}

TEST(repetitions_are_combined_point_by_point)
{
	check_combined(5, EP_COMBINE_MEAN, 3, (10 + 11 + 9000 + 9 + 12) / 5.);
	check_combined(5, EP_COMBINE_MEDIAN, 3, 11);
	check_combined(5, EP_COMBINE_MINIMUM, 1, 9);
	check_combined(4, EP_COMBINE_MEDIAN, 2.5, 10.5);
	check_combined(2, EP_COMBINE_MEDIAN, 2, 10.5);
	for (int how = 0; how < EP_COMBINE_N; how++)
		check_combined(1, how, 3, 10);
}

TEST(equal_repetitions_have_equal_medians)
{
	static const double same[] = { 7, 7, 7, 7, 2 };
	double out;

	ep_noise_combine(same, 5, 1, EP_COMBINE_MEDIAN, &out);
	CHECK(out == 7);
	ep_noise_combine(same, 4, 1, EP_COMBINE_MEDIAN, &out);
	CHECK(out == 7);
}

TEST(the_way_is_named_in_params)
{
	struct ep_params params = ep_params_default;
	struct ep_error err;

	CHECK_INT(params.combine, EP_COMBINE_MEAN);
	CHECK_INT(ep_params_parse(&params, "p.json", "{\"combine\": \"median\"}", &err), 0);
	CHECK_INT(params.combine, EP_COMBINE_MEDIAN);
	CHECK_INT(ep_params_set(&params, "combine", "minimum", &err), 0);
	CHECK_INT(params.combine, EP_COMBINE_MINIMUM);
	CHECK(ep_params_parse(&params, "p.json", "{\"combine\": \"mode\"}", &err) < 0);
	CHECK_STR(err.message, "combine is \"mode\", expected mean, median or minimum");
	CHECK_INT(params.combine, EP_COMBINE_MINIMUM);
}

/* |m1 - m2| / sqrt(P mean1 mean2) by hand: sqrt(5) / sqrt(2 * 6.5 * 6) = 0.2532. */
TEST(variability_is_equation_four)
{
	double sums[2];

	CHECK(fabs(ep_noise_max_rnmse(five, 2, 2, sums) - sqrt(5. / 78)) < 1e-15);
	CHECK(ep_noise_max_rnmse(five, 1, 2, sums) == 0);
}
