/* SPDX-License-Identifier: BSD-3-Clause */
/* Student's t tells what a mean of few values is good to. */
#ifndef EVPROF_REPORTER_COMPARE_STUDENT_H
#define EVPROF_REPORTER_COMPARE_STUDENT_H

/* Returns the chance of a value of t and more, df > 0; with infinite df it is the normal
 * distribution's. */
double ep_student_above(double t, double df);
/* Returns the value that t is above with this chance, 0 < chance < 0.5. */
double ep_student_quantile(double chance, double df);
/* Returns the chance of a ratio of two variances of f and more, with these degrees of freedom. */
double ep_fisher_above(double f, double df, double df_below);

#endif
