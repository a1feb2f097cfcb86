/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether this process belongs to a tree that is being traced already, told without anything that
 * the program could see: no variable, no inherited descriptor.
 */
#ifndef EVPROF_PRELOAD_PROCESS_JOIN_H
#define EVPROF_PRELOAD_PROCESS_JOIN_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

struct ep_join_point {
	int fd; /* the trace, for reading; the caller's to close */
	char path[4096];
};

/* An ancestor holds the trace open for appending (seen in /proc), or the trace under our path began
 * in an ancestor, or in this process before an exec. */
bool ep_join_find(struct ep_join_point *out_point);

/* Does the parent run as the same user? What kept this process from measuring kept it, too, and it
 * has said so. */
bool ep_join_parent_is_alike(void);

/* Is a trace there that another run is still writing? */
bool ep_join_is_live(const char *path);

#endif
