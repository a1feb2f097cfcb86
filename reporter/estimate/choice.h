/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice of an estimator for each event of a series, and its errors. */
#ifndef EVPROF_REPORTER_ESTIMATE_CHOICE_H
#define EVPROF_REPORTER_ESTIMATE_CHOICE_H

#include "reporter/estimate/holdout.h"

struct ep_choice {
	int estimator;        /* -1: the event is always on, or was never measured */
	int errors_of;        /* the estimator that the errors come from; mostly the same */
	double holdout_error; /* NaN: not known */
	double width;         /* factor of the spread that makes it a 95 % interval */
	/* all samples are 0: the event is filled with zeros, and has errors as usual */
	bool silent;
	double inflation; /* factor of a sum's variance, since errors correlate */
};

/* Makes the choices, out: (E). candidates: bits of rows of ep_estimators, at least one. */
void ep_choices_make(const struct ep_grid *grid, const struct ep_holdout *holdout,
	unsigned candidates, struct ep_choice *out);

#endif
