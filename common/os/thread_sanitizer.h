/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_COMMON_OS_THREAD_SANITIZER_H
#define EVPROF_COMMON_OS_THREAD_SANITIZER_H

#include <stdbool.h>

/* Tells whether ThreadSanitizer is linked into the program, or loaded before us: it sees our calls of libc as the
 * program's, what we do in handlers as races, and waits for itself there. */
bool ep_thread_sanitizer_is_here(void);

#endif
