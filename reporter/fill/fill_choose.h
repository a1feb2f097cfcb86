/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_REPORTER_FILL_FILL_CHOOSE_H
#define EVPROF_REPORTER_FILL_FILL_CHOOSE_H

#include "reporter/load/fill.h"

/* "auto", "path", "hold" or an estimator of reporter/estimate; NULL: there is none of that name. */
const struct ep_filler_ops *ep_filler_find(const char *name);

/* What traces of their size (NULL behind the last) get where nobody chose, so that reading them
 * takes seconds: auto, longer ones path, and the largest the filler that holds the last rate and
 * knows no interval. The same for all commands: they show the same numbers. */
const struct ep_filler_ops *ep_filler_default(const char *const *paths);

#endif
