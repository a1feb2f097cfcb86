// SPDX-License-Identifier: BSD-3-Clause
/* Combinations of events that make up a signature, on systems small enough to solve by hand. */
#include "kernels/derive/solve.h"

#include <errno.h>
#include <math.h>

#include "tests/unit/test.h"

enum { D = 3, MOST_K = 2, M = 3 };

static double coefficients[M * MOST_K], rounded[M * MOST_K];
static struct ep_signature_fit fits[M];
static const struct ep_solution solution = { coefficients, rounded, fits };

static int solve(size_t n_chosen, const double *x, const double *signatures, double tolerance)
{
	const struct ep_system system = { n_chosen, D, M, x, signatures, tolerance };
	struct ep_error err;

	return ep_solve(&system, &solution, &err);
}

/* Events A = (1, 0, 0) and B = (1, 2, 0), whose largest singular value squared is 3 + sqrt(5). */
static const double two_events[] = { 1, 0, 0, 1, 2, 0 };

TEST(what_the_events_span_is_found_and_what_not_is_said)
{
	static const double signatures[M * D] = {
		0, 2, 0,   /* B - A */
		2.5, 0, 0, /* 2.5 A */
		0, 0, 4,   /* nothing of it */
	};
	CHECK_INT(solve(2, two_events, signatures, 1e-3), 0);
	CHECK_CLOSE(coefficients[0], -1, 1e-12);
	CHECK_CLOSE(coefficients[1], 1, 1e-12);
	CHECK(rounded[0] == -1 && rounded[1] == 1);
	CHECK(fits[0].error < 1e-14 && fits[0].rounded_error == 0);
	CHECK_CLOSE(rounded[2], 2.5, 1e-12); /* no whole number is near */
	CHECK(rounded[3] == 0 && !signbit(rounded[3]));
	/* |0 - 4| / (norm * 0 + 4) */
	CHECK_CLOSE(fits[2].error, 1, 1e-12);
	CHECK_INT(fits[2].worst_dim, 2);
	CHECK_CLOSE(fits[2].worst_difference, -4, 1e-12);
}

/* Equation 5 with all three norms: |X y - s| / (|X|_2 |y| + |s|). */
TEST(the_backward_error_is_that_of_equation_5)
{
	static const double signatures[M * D] = { 1.02, 0, 1, 1.02, 0, 0, 0, 0, 0 };
	double norm = sqrt(3 + sqrt(5));

	CHECK_INT(solve(2, two_events, signatures, 0.05), 0);
	CHECK_CLOSE(coefficients[0], 1.02, 1e-12);
	CHECK_CLOSE(fits[0].error, 1 / (norm * 1.02 + hypot(1.02, 1)), 1e-12);
	/* rounded to A alone: 0.02 is missing as well */
	CHECK(rounded[0] == 1 && rounded[1] == 0);
	CHECK_CLOSE(fits[0].rounded_error, hypot(0.02, 1) / (norm + hypot(1.02, 1)), 1e-9);
	CHECK_CLOSE(fits[1].rounded_error, 0.02 / (norm + 1.02), 1e-9);
	CHECK_INT(fits[1].worst_dim, 0);
	CHECK_CLOSE(fits[1].worst_difference, -0.02, 1e-9);
	/* an empty signature is met by nothing, exactly */
	CHECK(rounded[4] == 0 && rounded[5] == 0 && fits[2].worst_difference == 0);
}

TEST(without_events_nothing_fits)
{
	static const double signatures[M * D] = { 1, 2, 2, 0, 1, 0, 0, 0, 3 };

	CHECK_INT(solve(0, NULL, signatures, 1e-3), 0);
	for (int m = 0; m < M; m++)
		CHECK_CLOSE(fits[m].error, 1, 1e-15);
}

TEST(events_that_depend_on_each_other_are_refused)
{
	static const double x[] = { 0, 0, 0, 1, 2, 0 }, signatures[M * D] = { 1 };

	CHECK_INT(solve(2, x, signatures, 1e-3), -EINVAL);
}

/* Squares of such numbers are infinite, or 0. */
TEST(signatures_far_from_1_have_an_error_too)
{
	static const double signatures[M * D] = {
		0, 1e308, 0,      /* half of B - A */
		0, 0, 1e308,      /* nothing of it */
		0, 3e-200, 4e-200 /* 3/5 of it, at most */
	};
	double norm = sqrt(3 + sqrt(5));

	CHECK_INT(solve(2, two_events, signatures, 0), 0);
	CHECK(fits[0].error < 1e-14);
	CHECK_CLOSE(fits[1].error, 1, 1e-12);
	CHECK_CLOSE(fits[1].worst_difference / -1e308, 1, 1e-12);
	/* y = (-1.5, 1.5) */
	CHECK_CLOSE(fits[2].error, 4 / (norm * 1.5 * sqrt(2) + 5), 1e-9);
	CHECK_INT(fits[2].worst_dim, 2);
}
