/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tells whether this process belongs to a tree of processes that is being recorded already. The program could notice
 * neither way: there is no environment variable and no inherited descriptor.
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

/* Finds the trace of the tree. An ancestor has the trace open for appending (seen in /proc), or the trace at this
 * process's path was begun by an ancestor, or by this process before an exec. */
bool ep_join_find(struct ep_join_point *out_point);

/* Tells whether the parent runs as the same user. The reason why this process cannot measure then held for the parent,
 * too, and the parent has reported it. */
bool ep_join_parent_is_alike(void);

/* Tells whether a trace is there that another run is still writing. */
bool ep_join_is_live(const char *path);

#endif
