/* SPDX-License-Identifier: BSD-3-Clause */
/* Operators on numbers, which are the same in every evaluator. */
#ifndef EVPROF_COMMON_FORMULA_ARITH_H
#define EVPROF_COMMON_FORMULA_ARITH_H

#include <math.h>

/* Returns the remainder of a / b after the fractions of a and b are cut off. This is C's %, but for every double. A
 * result of -0 becomes 0. */
static inline double ep_modulo(double a, double b)
{
	return fmod(trunc(a), trunc(b)) + 0.0;
}

static inline double ep_min(double a, double b)
{
	return a < b ? a : b;
}

static inline double ep_max(double a, double b)
{
	return a > b ? a : b;
}

#endif
