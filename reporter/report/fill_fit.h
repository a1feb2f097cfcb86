/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_REPORTER_REPORT_FILL_FIT_H
#define EVPROF_REPORTER_REPORT_FILL_FIT_H

#include "reporter/load/fill.h"

/* The filler behind an estimator's name ("auto", "linear", ...); NULL when there is none of that
 * name. One at a time: the choice is the command's. */
const struct ep_filler_ops *ep_filler_fit(const char *name);

#endif
