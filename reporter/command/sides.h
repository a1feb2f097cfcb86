/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of the traces that were named are one run, and which another. */
#ifndef EVPROF_REPORTER_COMMAND_SIDES_H
#define EVPROF_REPORTER_COMMAND_SIDES_H

#include "common/error.h"

#include <stdbool.h>

/* Arguments behind the first --, or -1: there is none. Before the options are read, as getopt puts
 * it before all names. */
int ep_sides_count_after_dashes(int argc, char **argv);
/* n names, then NULL; the caller's to free. NULL: no memory. */
const char **ep_sides_take_names(const char *const *names, int n);
/* Are two traces two runs (load/two_runs.h)? Both are read for it, without their samples. The
 * trace's error. */
int ep_sides_tell(
	const char *const *paths, bool *out_are_two_runs, struct ep_error *err) EP_MUST_CHECK;

#endif
