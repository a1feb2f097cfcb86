/* SPDX-License-Identifier: BSD-3-Clause */
/* Has the parts of evprof run that find the library, set the environment and start the program under valgrind. */
#ifndef EVPROF_LAUNCHER_LAUNCH_H
#define EVPROF_LAUNCHER_LAUNCH_H

#include <limits.h>
#include <stdbool.h>

#include "common/error.h"

/* Finds libevprof.so, or libevprof-waits.so if waits are to be noted: next to this program (build tree) or in the
 * library folder. Error: -ENOENT. */
int ep_launch_find_library(
	bool notes_waits, char out_path[PATH_MAX], struct ep_error *err) EP_MUST_CHECK;

/* Finds the program evreport next to this one, or where the build tree has it. Error: -ENOENT. */
int ep_launch_find_evreport(char out_path[PATH_MAX], struct ep_error *err) EP_MUST_CHECK;

/* Puts library in front of what LD_PRELOAD holds. Error: -EINVAL if the loader could not take the path, since it splits
 * at spaces and colons and expands '$'. */
int ep_launch_set_preload(const char *library, struct ep_error *err) EP_MUST_CHECK;

/* Returns a path that stays valid if the traced process changes its folder: the path is made absolute, with '%' of the
 * current folder doubled (the setting expands %p). The caller frees it; NULL: no memory. */
char *ep_launch_absolute(const char *path);
/* Returns "sim:TABLE,..." with TABLE absolute, and any other source as it is. The caller frees it. */
char *ep_launch_absolute_source(const char *source);

/*
 * Runs argv under callgrind with cache and branch simulation and fixed cache sizes. The run has a folder of its own,
 * which the library finds in EVPROF_VALGRIND_DIR and which is removed afterwards; the dumps of process PID are
 * DIR/PID.N. Returns the program's exit status. If a signal ended the program, this process ends by the same signal.
 */
int ep_launch_valgrind(char *const argv[], struct ep_error *err) EP_MUST_CHECK;

#endif
