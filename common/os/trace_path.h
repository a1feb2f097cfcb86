/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes paths of traces from the output setting, a pattern: %p pid, %h host, %r rank, %% a percent sign. */
#ifndef EVPROF_COMMON_OS_TRACE_PATH_H
#define EVPROF_COMMON_OS_TRACE_PATH_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Expands the pattern. rank NULL: MPI did not start the process, and the rank is 0 in paths. Returns 0, -EINVAL or
 * -ENAMETOOLONG. */
int ep_trace_path_expand(const char *pattern, int pid, const char *rank, char *out_path,
	size_t size, struct ep_error *err) EP_MUST_CHECK;

/* Expands the pattern for the rank of this process. Each of several ranks has a file of its own: if the pattern has
 * neither %r nor %p, the rank is inserted before the path's ".gz". */
int ep_trace_path_of_rank(const char *pattern, int pid, char *out_path, size_t size,
	struct ep_error *err) EP_MUST_CHECK;

/* Tells whether the pattern contains %letter; a letter after %% does not count. */
bool ep_trace_path_has(const char *pattern, char letter);

/* Inserts id into a path: "trace.gz" and "7" make "trace.7.gz". */
int ep_trace_path_beside(const char *path, const char *id, char *out_path, size_t size,
	struct ep_error *err) EP_MUST_CHECK;

#endif
