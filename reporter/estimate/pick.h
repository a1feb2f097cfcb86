/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses an estimator for an event by the results of a hold-out. */
#ifndef EVPROF_REPORTER_ESTIMATE_PICK_H
#define EVPROF_REPORTER_ESTIMATE_PICK_H

#include "reporter/estimate/holdout.h"

/* Returns the estimator's row in ep_estimators, one of candidates (bits of rows, not 0). An event without a
 * hidden sample gets "linear", or the first candidate if "linear" is none. */
int ep_estimator_pick(const struct ep_holdout *holdout, unsigned candidates, size_t event);

/* Returns "linear" or the first candidate if pick is a network, which fills gaps with bursts; otherwise pick. */
int ep_estimator_without_bursts(unsigned candidates, int pick);

#endif
