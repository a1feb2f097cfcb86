/* SPDX-License-Identifier: BSD-3-Clause */
/* Improves estimates of variances. Few runs estimate a single variance badly, so that the variances of all
 * rows are used to improve each one. */
#ifndef EVPROF_REPORTER_COMPARE_VARIANCES_H
#define EVPROF_REPORTER_COMPARE_VARIANCES_H

#include <stdint.h>

/* A prior for variances. It changes an estimate as if the variance had been estimated from df more
 * differences, whose variance was scale times the expected variance. df 0: there is no prior. */
struct ep_variance_prior {
	double scale, df;
	/* The prior does not hold for a ratio greater than this; such a variance is estimated from its own
	 * differences alone. */
	double most;
};

/* Fits a prior. ratios (n) are variances with df degrees of freedom, each over its expected value; they are
 * sorted, and those that are not above 0 are left out. The fit is by moments of log ratios: G. K. Smyth, Linear
 * models and empirical Bayes methods, Stat. Appl. Genet. Mol. Biol. 3 (2004), section 6.2. Ratios that are too
 * large for the fit to the others are left out too (B. Phipson and others, Robust hyperparameter estimation
 * protects against hypervariable genes, Ann. Appl. Stat. 10 (2016), give the reason). The prior's df is at most
 * the sum of the df of all ratios. */
struct ep_variance_prior ep_variance_prior_fit(double *ratios, uint32_t n, double df);

#endif
