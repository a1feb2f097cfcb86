/* SPDX-License-Identifier: BSD-3-Clause */
/* The pieces of evprof run: the library, the environment, the start under valgrind. */
#ifndef EVPROF_LAUNCHER_LAUNCH_H
#define EVPROF_LAUNCHER_LAUNCH_H

#include <limits.h>
#include <stdbool.h>

#include "common/error.h"

/* libevprof.so, or libevprof-waits.so where waits are to be noted: next to this program (build tree) or in
 * the library folder. -ENOENT. */
int ep_launch_find_library(
	bool notes_waits, char out_path[PATH_MAX], struct ep_error *err) EP_MUST_CHECK;

/* The program evreport next to this one, or as the build tree has it. -ENOENT. */
int ep_launch_find_evreport(char out_path[PATH_MAX], struct ep_error *err) EP_MUST_CHECK;

/* Puts library in front of what LD_PRELOAD holds. -EINVAL where the loader could not take the
 * path: it splits at spaces and colons and expands '$'. */
int ep_launch_set_preload(const char *library, struct ep_error *err) EP_MUST_CHECK;

/* A path as the traced process must see it, whatever it changes its folder to: absolute, with '%'
 * of the current folder doubled (the setting expands %p). The caller frees it; NULL: no memory. */
char *ep_launch_absolute(const char *path);
/* "sim:TABLE,..." with TABLE absolute; any other source as it is. The caller frees it. */
char *ep_launch_absolute_source(const char *source);

/*
 * Runs argv under callgrind with cache and branch simulation and fixed cache sizes, in a folder
 * of its own that is removed afterwards and that the library finds in EVPROF_VALGRIND_DIR; the
 * dumps of process PID are DIR/PID.N. Returns the program's exit status; dies of its signal.
 */
int ep_launch_valgrind(char *const argv[], struct ep_error *err) EP_MUST_CHECK;

#endif
