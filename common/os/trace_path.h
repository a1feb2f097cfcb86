/* SPDX-License-Identifier: BSD-3-Clause */
/* The output setting to the names of traces: %p pid, %h host, %r rank, %% a percent sign. */
#ifndef EVPROF_COMMON_OS_TRACE_PATH_H
#define EVPROF_COMMON_OS_TRACE_PATH_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

/* rank NULL: a process that MPI did not start, which is 0 in names. -EINVAL, -ENAMETOOLONG. */
int ep_trace_path_expand(const char *pattern, int pid, const char *rank, char *out_path,
	size_t size, struct ep_error *err) EP_MUST_CHECK;

/* The same for the rank that this process is. Each of several ranks has a file: without %r and %p the rank
 * stands before the path's ".gz". */
int ep_trace_path_of_rank(const char *pattern, int pid, char *out_path, size_t size,
	struct ep_error *err) EP_MUST_CHECK;

/* The pattern has %letter; %% and a letter behind it are none. */
bool ep_trace_path_has(const char *pattern, char letter);

/* "trace.gz" and "7" to "trace.7.gz". */
int ep_trace_path_beside(const char *path, const char *id, char *out_path, size_t size,
	struct ep_error *err) EP_MUST_CHECK;

#endif
