/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses an estimator for each event of a series, and scales the estimator's errors. */
#ifndef EVPROF_REPORTER_ESTIMATE_CHOICE_H
#define EVPROF_REPORTER_ESTIMATE_CHOICE_H

#include "reporter/estimate/holdout.h"

struct ep_choice {
	int estimator; /* row in ep_estimators; -1: the event is always on, or was never measured */
	int errors_of; /* row of the estimator that gives the errors; mostly the same */
	double holdout_error; /* mean relative error in the hold-out; NaN: not known */
	double width;         /* factor that makes the spread half of a 95 % interval */
	/* all samples are 0: the event is filled with zeros, and has errors as usual */
	bool silent;
	double inflation; /* factor by which correlated errors increase a sum's variance */
};

/* Makes the choices, out: (E). candidates: bits of rows of ep_estimators, at least one. */
void ep_choices_make(const struct ep_grid *grid, const struct ep_holdout *holdout,
	unsigned candidates, struct ep_choice *out);

#endif
