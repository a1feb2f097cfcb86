/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the file in which a JIT compiler describes the code that it makes (Linux's
 * tools/perf/Documentation/jitdump-specification.txt). The program maps the file's first page as code, so that
 * profilers find it. Runs in signal handlers.
 */
#ifndef EVPROF_PRELOAD_UNWIND_JIT_MARKER_H
#define EVPROF_PRELOAD_UNWIND_JIT_MARKER_H

#include <stddef.h>

/* Looks at the path of a mapping of code, from /proc/self/maps, and keeps the first whose file name
 * is jit-NUMBER.dump. */
void ep_jit_marker_see(const char *path, size_t size);
/* Returns the path that ep_jit_marker_see has kept; NULL: none was seen. */
const char *ep_jit_marker_path(void);

#endif
