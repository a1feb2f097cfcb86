/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file in which a JIT compiler tells of the code that it makes (Linux's
 * tools/perf/Documentation/jitdump-specification.txt): the program maps its first page as code, so that profilers
 * find it. Signal handlers.
 */
#ifndef EVPROF_PRELOAD_UNWIND_JIT_MARKER_H
#define EVPROF_PRELOAD_UNWIND_JIT_MARKER_H

#include <stddef.h>

/* Sees the path of a mapping of code, as /proc/self/maps has it: keeps the first whose file is jit-NUMBER.dump. */
void ep_jit_marker_see(const char *path, size_t size);
/* NULL: none was seen. */
const char *ep_jit_marker_path(void);

#endif
