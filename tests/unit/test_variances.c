// SPDX-License-Identifier: BSD-3-Clause
/* Priors of variances, on draws whose prior is known. */
#include "tests/unit/test.h"

#include <math.h>

#include "common/cleanup.h"
#include "reporter/compare/variances.h"

#define DF 4

static uint64_t random_state;

static double draw_uniform(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

/* A chi-square of an even number of degrees of freedom is a sum of exponentials. */
static double draw_mean_square(int df)
{
	double sum = 0;

	for (int i = 0; i < df / 2; i++)
		sum -= 2 * log(draw_uniform());
	return sum / df;
}

enum { N_DRAWS = 4000 };

TEST(scale_and_degrees_are_those_of_the_draws)
{
	static const struct {
		int df; /* of the prior; 0: all variances are the same */
		double scale, least_df, most_df;
	} rows[] = {
		{ 10, 1, 7, 11.5 },
		{ 4, 0.1, 3.4, 4.6 },
		{ 0, 3, 100, INFINITY },
	};
	static double ratios[N_DRAWS];

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_variance_prior prior;

		random_state = 88172645463325252ull;
		for (int k = 0; k < N_DRAWS; k++)
			ratios[k] = rows[i].scale * draw_mean_square(DF) /
				    (rows[i].df ? draw_mean_square(rows[i].df) : 1);
		prior = ep_variance_prior_fit(ratios, N_DRAWS, DF);
		CHECK_CLOSE(prior.scale, rows[i].scale, 0.06);
		CHECK_MSG(prior.df > rows[i].least_df && prior.df < rows[i].most_df,
			"row %zu: %g degrees of freedom", i, prior.df);
	}
}

TEST(one_that_varies_much_more_is_no_member)
{
	double ratios[] = { 100, 0.8, 1.2, 0, 1, 1.1, 0.9 }, alike[] = { 1.4, 0.8, 1.2, 1, 0.7 };
	struct ep_variance_prior prior = ep_variance_prior_fit(ratios, EP_ARRAY_SIZE(ratios), DF);

	CHECK_CLOSE(prior.most, 1.2, 1e-9);
	CHECK_MSG(prior.scale > 0.7 && prior.scale < 1.3, "%g", prior.scale);
	prior = ep_variance_prior_fit(alike, EP_ARRAY_SIZE(alike), DF);
	CHECK_CLOSE(prior.most, 1.4, 1e-9);
}

TEST(two_tell_nothing)
{
	double ratios[] = { 1, 0, 1.2 };

	CHECK_CLOSE(ep_variance_prior_fit(ratios, EP_ARRAY_SIZE(ratios), DF).df, 0, 0);
}
