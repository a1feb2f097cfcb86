// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/compare/variances.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "reporter/compare/student.h"

#define FAR 10 /* from this x on, the asymptotic series are exact to 1e-10 or better */

/* Returns the first derivative of lgamma (Abramowitz and Stegun, 6.3.5 and 6.3.18). */
static double digamma(double x)
{
	double sum = 0, y;

	for (; x < FAR; x++)
		sum -= 1 / x;
	y = 1 / (x * x);
	return sum + log(x) - 0.5 / x - y * (1. / 12 - y * (1. / 120 - y * (1. / 252 - y / 240)));
}

/* Returns the second derivative of lgamma (Abramowitz and Stegun, 6.4.6 and 6.4.12). */
static double trigamma(double x)
{
	double sum = 0, y;

	for (; x < FAR; x++)
		sum += 1 / (x * x);
	y = 1 / (x * x);
	return sum + 1 / x + y / 2 + y / x * (1. / 6 - y * (1. / 30 - y * (1. / 42 - y / 30)));
}

/* Finds the inverse by bisection over the logarithm of x, which works because trigamma falls everywhere. */
static double trigamma_inverse(double value)
{
	double low = -20, high = 20;

	for (int i = 0; i < 80; i++) {
		double middle = (low + high) / 2;

		if (trigamma(exp(middle)) > value)
			low = middle;
		else
			high = middle;
	}
	return exp(high);
}

#define FEWEST 3 /* least number of variances for a prior */
/* the largest of n ratios is left out if its chance, by a fit to the others, is below this number divided by
 * n */
#define MEMBER_CHANCE 0.3

/* Fits a prior to n ratios, all of which are above 0. */
static struct ep_variance_prior fit(const double *ratios, uint32_t n, double df)
{
	double sum = 0, squares = 0, mean, spread, prior_df;

	for (uint32_t i = 0; i < n; i++) {
		sum += log(ratios[i]);
		squares += log(ratios[i]) * log(ratios[i]);
	}
	mean = sum / n - digamma(df / 2) + log(df / 2);
	spread = (squares - sum * sum / n) / (n - 1) - trigamma(df / 2);
	if (spread <= 0)
		return (struct ep_variance_prior){ exp(mean), n * df, INFINITY };
	prior_df = fmin(2 * trigamma_inverse(spread), n * df);
	return (struct ep_variance_prior){ exp(mean + digamma(prior_df / 2) - log(prior_df / 2)),
		prior_df, INFINITY };
}

static int by_size(const void *one, const void *other)
{
	const double *a = one, *b = other;

	return (*a > *b) - (*a < *b);
}

struct ep_variance_prior ep_variance_prior_fit(double *ratios, uint32_t n, double df)
{
	struct ep_variance_prior prior;

	qsort(ratios, n, sizeof(*ratios), by_size);
	while (n && !(ratios[0] > 0)) {
		ratios++;
		n--;
	}
	if (n < FEWEST || !(df > 0))
		return (struct ep_variance_prior){ 0, 0, INFINITY };
	for (; n > FEWEST; n--) {
		prior = fit(ratios, n - 1, df);
		if (ep_fisher_above(ratios[n - 1] / prior.scale, df, prior.df) >= MEMBER_CHANCE / n)
			break;
	}
	prior = fit(ratios, n, df);
	prior.most = ratios[n - 1];
	return prior;
}
