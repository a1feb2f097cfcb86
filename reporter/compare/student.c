// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/compare/student.h"

#include <math.h>

#define TINY 1e-300
#define MOST_TERMS 500

/* Evaluates the continued fraction of the incomplete beta function by Lentz's method (Abramowitz and Stegun,
 * 26.5.8). */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), h;

	d = 1 / (fabs(d) < TINY ? TINY : d);
	h = d;
	for (int m = 1; m <= MOST_TERMS; m++) {
		double terms[2] = { m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
			-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)) };
		double before = h;

		for (int k = 0; k < 2; k++) {
			d = 1 + terms[k] * d;
			c = 1 + terms[k] / c;
			d = 1 / (fabs(d) < TINY ? TINY : d);
			c = fabs(c) < TINY ? TINY : c;
			h *= c * d;
		}
		if (fabs(h - before) <= 1e-15 * fabs(h))
			break;
	}
	return h;
}

/* Returns the regularized incomplete beta function. */
static double beta_below(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x > 0;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

#define NEARLY_NORMAL 1e6 /* from this many degrees of freedom on, t is taken as normal */

double ep_student_above(double t, double df)
{
	double tail;

	if (df > NEARLY_NORMAL)
		return erfc(t / sqrt(2)) / 2;
	tail = beta_below(df / 2, 0.5, df / (df + t * t)) / 2;
	return t > 0 ? tail : 1 - tail;
}

double ep_student_quantile(double chance, double df)
{
	double low = 0, high = 1;

	while (ep_student_above(high, df) > chance)
		high *= 2;
	for (int i = 0; i < 50; i++) {
		double middle = (low + high) / 2;

		if (ep_student_above(middle, df) > chance)
			low = middle;
		else
			high = middle;
	}
	return high;
}

double ep_fisher_above(double f, double df, double df_below)
{
	df_below = fmin(df_below, NEARLY_NORMAL);
	return beta_below(df_below / 2, df / 2, df_below / (df_below + df * f));
}
