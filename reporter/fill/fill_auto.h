/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_REPORTER_FILL_FILL_AUTO_H
#define EVPROF_REPORTER_FILL_FILL_AUTO_H

#include "reporter/load/fill.h"

/* Chooses for each event the estimator with the smallest error on hidden slices, or `path` for all events
 * where that is better. */
extern const struct ep_filler_ops ep_filler_auto;

#endif
