/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out from a program's file, before the program starts, whether a preloaded library can work in it. */
#ifndef EVPROF_LAUNCHER_REACH_H
#define EVPROF_LAUNCHER_REACH_H

#include <limits.h>
#include <stdbool.h>

#include "common/error.h"

enum ep_reach {
	EP_REACH_YES,
	EP_REACH_NO, /* this program is not measured, but programs that it starts may be */
	/* evprof's library must not be preloaded: the program is for another architecture or C library, or has a
	 * sanitizer */
	EP_REACH_FOREIGN,
};

/* Finds the file that execvp(name) would start. Error: -ENOENT, or -EACCES if it may not be executed. */
int ep_reach_find(const char *name, char out_path[PATH_MAX]) EP_MUST_CHECK;

/*
 * Looks at the program at path, following scripts to their interpreters. If the result is not EP_REACH_YES,
 * err->message says why, as in "/bin/x is linked statically". A file that cannot be read or understood counts as
 * reachable, since no reason against it is known. out_program: the executable that will run, without symbolic links;
 * empty: it is not known.
 */
enum ep_reach ep_reach_check(const char *path, char out_program[PATH_MAX], struct ep_error *err);

#endif
