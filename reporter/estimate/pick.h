/* SPDX-License-Identifier: BSD-3-Clause */
/* Which estimator fills an event, from what a hold-out found. */
#ifndef EVPROF_REPORTER_ESTIMATE_PICK_H
#define EVPROF_REPORTER_ESTIMATE_PICK_H

#include "reporter/estimate/holdout.h"

/* The estimator's row in ep_estimators, one of those whose bit is set in candidates, which are not
 * none. An event without a hidden sample gets straight lines, or the first candidate. */
int ep_estimator_pick(const struct ep_holdout *holdout, unsigned candidates, size_t event);

/* Straight lines in the place of a network; any other pick as it is. */
int ep_estimator_without_bursts(unsigned candidates, int pick);

#endif
