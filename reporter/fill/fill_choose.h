/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_REPORTER_FILL_FILL_CHOOSE_H
#define EVPROF_REPORTER_FILL_FILL_CHOOSE_H

#include "reporter/load/fill.h"
#include "reporter/load/length.h"

/* Finds a filler: "auto", "path", "hold" or the name of an estimator of reporter/estimate; NULL: there is
 * none of that name. */
const struct ep_filler_ops *ep_filler_find(const char *name);

struct ep_filler_choice {
	const struct ep_filler_ops *filler;
	/* the reason for the choice, which messages put after "estimator NAME: " */
	char why[160];
};

/* Chooses the filler for traces of a given length if the user chose none, so that reading them takes seconds:
 * auto, for longer traces path, and for the longest the filler that holds the last rate, which has no error
 * bars. A command chooses once for all its traces, and all commands choose by the same rule, so that they
 * show the same numbers. */
struct ep_filler_choice ep_filler_choose(const struct ep_traces_length *length);

/* The same for traces that are given by their paths (NULL after the last). */
struct ep_filler_choice ep_filler_default(const char *const *paths);

#endif
