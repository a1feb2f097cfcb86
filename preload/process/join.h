/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tells whether this process belongs to a tree of processes that is being recorded already. This is found in /proc and
 * in the file system. An environment variable or an inherited descriptor would be simpler, but the program could notice
 * it.
 */
#ifndef EVPROF_PRELOAD_PROCESS_JOIN_H
#define EVPROF_PRELOAD_PROCESS_JOIN_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

struct ep_join_point {
	int fd; /* the trace, open for reading; the caller closes it */
	char path[4096];
};

/* Finds the trace of the tree, and returns false if there is none. Either an ancestor has the trace open for appending
 * (seen in /proc), or the trace at this process's path was begun by an ancestor, or by this process before an exec. */
bool ep_join_find(struct ep_join_point *out_point);

/* Tells whether the parent runs as the same user. If it does, the reason why this process cannot measure also held for
 * the parent, and the parent has reported it already. */
bool ep_join_parent_is_alike(void);

/* Tells whether the file at path is a trace that another run is still writing. */
bool ep_join_is_live(const char *path);

#endif
