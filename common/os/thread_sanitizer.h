/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_COMMON_OS_THREAD_SANITIZER_H
#define EVPROF_COMMON_OS_THREAD_SANITIZER_H

#include <stdbool.h>

/* Tells whether ThreadSanitizer is linked into the program, or loaded before evprof. ThreadSanitizer would treat
 * evprof's calls of libc as the program's, and report evprof's work in signal handlers as races. In signal handlers it
 * would also wait for its own locks for ever. */
bool ep_thread_sanitizer_is_here(void);

#endif
