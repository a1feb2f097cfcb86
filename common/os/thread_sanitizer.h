/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_COMMON_OS_THREAD_SANITIZER_H
#define EVPROF_COMMON_OS_THREAD_SANITIZER_H

#include <stdbool.h>

/* Tells whether ThreadSanitizer is linked into the program, or loaded before evprof. It would take evprof's calls of
 * libc for the program's, and its work in signal handlers for races, and it would wait for itself there. */
bool ep_thread_sanitizer_is_here(void);

#endif
