/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_REPORTER_REPORT_FILL_FIT_H
#define EVPROF_REPORTER_REPORT_FILL_FIT_H

#include "reporter/load/fill.h"

/* The filler behind an estimator's name ("auto", "linear", ...); NULL when there is none of that
 * name. One at a time: the choice is the command's. */
const struct ep_filler_ops *ep_filler_fit(const char *name);

/* The same, or "hold": the one that is no estimator and takes no time. */
const struct ep_filler_ops *ep_filler_find(const char *name);

/* What traces of their size (NULL behind the last) get where nobody chose, so that reading them
 * takes seconds: linear, and the largest the filler that holds the last rate and knows no interval.
 * thorough: auto for the small ones, for commands that compute on the values. */
const struct ep_filler_ops *ep_filler_default(const char *const *paths);
const struct ep_filler_ops *ep_filler_default_thorough(const char *const *paths);

#endif
