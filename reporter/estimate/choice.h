/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice of estimator for each event of a series, with the errors. */
#ifndef EVPROF_REPORTER_ESTIMATE_CHOICE_H
#define EVPROF_REPORTER_ESTIMATE_CHOICE_H

#include "reporter/estimate/holdout.h"

struct ep_choice {
	int estimator;        /* -1: always on or never measured */
	int errors_of;        /* the estimator that the values' errors are of: as a rule the same */
	double holdout_error; /* NaN: unknown */
	double width;         /* factor of the spread */
	bool silent;          /* no sample was above zero: filled with zeros, errors as usual */
	double inflation;     /* of a sum's variance, for errors that correlate */
};

/* out: (E). candidates: bits of rows of ep_estimators, not none. */
void ep_choices_make(const struct ep_grid *grid, const struct ep_holdout *holdout,
	unsigned candidates, struct ep_choice *out);

#endif
