/* SPDX-License-Identifier: BSD-3-Clause */
/* A few runs tell a variance badly; what all variances have in common makes each of them better. */
#ifndef EVPROF_REPORTER_COMPARE_VARIANCES_H
#define EVPROF_REPORTER_COMPARE_VARIANCES_H

#include <stdint.h>

/* A prior for variances: as if each had been seen by df more differences, whose variance was scale
 * times what was expected. df 0: there is none. */
struct ep_variance_prior {
	double scale, df;
	double most; /* the prior does not hold for a greater ratio, of which its own differences tell alone */
};

/* ratios: (n) each variance, of df degrees of freedom, over what is expected of it; they are sorted, and
 * 0 and less are left out. The fit is by moments of log ratios: G. K. Smyth, Linear models and empirical
 * Bayes methods, Stat. Appl. Genet. Mol. Biol. 3 (2004), section 6.2. Ratios too large for the fit to the
 * others (B. Phipson and others, Robust hyperparameter estimation protects against hypervariable genes,
 * Ann. Appl. Stat. 10 (2016), has the reason) take no part. The prior's df is at most what all of
 * them have together. */
struct ep_variance_prior ep_variance_prior_fit(double *ratios, uint32_t n, double df);

#endif
