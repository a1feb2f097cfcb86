/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes Student's t distribution, for the error of a mean of few values, and the F distribution of ratios
 * of variances. */
#ifndef EVPROF_REPORTER_COMPARE_STUDENT_H
#define EVPROF_REPORTER_COMPARE_STUDENT_H

/* Returns the chance of a value of at least t, with df > 0 degrees of freedom; infinite df is the normal
 * distribution. */
double ep_student_above(double t, double df);
/* Returns the value of t that is exceeded with the given chance, 0 < chance < 0.5. */
double ep_student_quantile(double chance, double df);
/* Returns the chance that the ratio of two variances is at least f. df and df_below are the degrees of
 * freedom of the numerator and of the denominator. */
double ep_fisher_above(double f, double df, double df_below);

#endif
