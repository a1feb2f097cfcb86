/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_REPORTER_FILL_FILL_AUTO_H
#define EVPROF_REPORTER_FILL_FILL_AUTO_H

#include "reporter/load/fill.h"

/* The filler `auto` chooses for each event the estimator with the smallest error on hidden slices. If `path`
 * has a smaller mean error over all events, it fills all of them. */
extern const struct ep_filler_ops ep_filler_auto;

#endif
