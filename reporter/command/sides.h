/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out which of the named traces are of one run, and which of another. */
#ifndef EVPROF_REPORTER_COMMAND_SIDES_H
#define EVPROF_REPORTER_COMMAND_SIDES_H

#include "common/error.h"

#include <stdbool.h>

/* Counts the arguments after the first "--"; -1: there is none. It must be called before the options are read, since
 * getopt moves "--" before all names. */
int ep_sides_count_after_dashes(int argc, char **argv);
/* Copies n names and adds NULL; the caller frees the result. NULL: there is no memory. */
const char **ep_sides_take_names(const char *const *names, int n);
/* Tells whether two traces are of two runs (load/two_runs.h). Both are read without their samples. Returns 0 or
 * the trace's error. */
int ep_sides_tell(
	const char *const *paths, bool *out_are_two_runs, struct ep_error *err) EP_MUST_CHECK;

#endif
