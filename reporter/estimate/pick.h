/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses an estimator for an event by the results of a hold-out. */
#ifndef EVPROF_REPORTER_ESTIMATE_PICK_H
#define EVPROF_REPORTER_ESTIMATE_PICK_H

#include "reporter/estimate/holdout.h"

/* Returns the estimator's row in ep_estimators. Its bit is set in candidates, which must not be 0. An event
 * without a hidden sample gets straight lines, or the first candidate. */
int ep_estimator_pick(const struct ep_holdout *holdout, unsigned candidates, size_t event);

/* Returns straight lines in place of a network; any other estimator unchanged. */
int ep_estimator_without_bursts(unsigned candidates, int pick);

#endif
