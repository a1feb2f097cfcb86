/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_REPORTER_FILL_FILL_CHOOSE_H
#define EVPROF_REPORTER_FILL_FILL_CHOOSE_H

#include "reporter/load/fill.h"
#include "reporter/load/length.h"

/* "auto", "path", "hold" or an estimator of reporter/estimate; NULL: there is none of that name. */
const struct ep_filler_ops *ep_filler_find(const char *name);

struct ep_filler_choice {
	const struct ep_filler_ops *filler;
	char why[160]; /* the reason, which messages put behind "estimator NAME: " */
};

/* Chooses the filler for traces of that length where the user chose none, so that reading them
 * takes seconds: auto, for longer ones path, and for the longest the filler that holds the last
 * rate and knows no interval. A command decides once, for all its traces, and all commands decide
 * alike: they show the same numbers. */
struct ep_filler_choice ep_filler_choose(const struct ep_traces_length *length);

/* The same of the traces' paths, NULL behind the last. */
struct ep_filler_choice ep_filler_default(const char *const *paths);

#endif
