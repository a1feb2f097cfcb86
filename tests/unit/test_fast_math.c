// SPDX-License-Identifier: BSD-3-Clause
/* The fast exponentials against the library's, over all that they promise. */
#include "reporter/estimate/fast_math.h"

#include "tests/unit/test.h"

TEST(the_exponential_is_that_of_the_library)
{
	double worst = 0;

	for (float x = -87; x <= 88; x += 1.0f / 512)
		worst = fmax(worst, fabs(ep_exp(x) / exp((double)x) - 1));
	CHECK_MSG(worst < 2e-7, "off by %g", worst);
}

TEST(the_exponential_is_held_at_its_ends)
{
	CHECK(ep_exp(-1000) == ep_exp(-87));
	CHECK(ep_exp(1000) == ep_exp(88));
}

TEST(larger_and_smaller_are_those_of_the_library)
{
	static const double numbers[] = { -INFINITY, -1, 0, 1e-300, 2, INFINITY };

	for (size_t i = 0; i < 6; i++)
		for (size_t j = 0; j < 6; j++) {
			CHECK(ep_larger(numbers[i], numbers[j]) == fmax(numbers[i], numbers[j]));
			CHECK(ep_smaller(numbers[i], numbers[j]) == fmin(numbers[i], numbers[j]));
		}
	CHECK(ep_larger(NAN, 3) == 3);
	CHECK(ep_smaller(NAN, 3) == 3);
}
