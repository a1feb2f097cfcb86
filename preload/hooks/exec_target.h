/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program that is about to be executed: whether its loader can take libevprof.so. One for
 * another C library (musl) or architecture cannot: musl's ends the program over it, glibc's says so
 * on the program's standard error. AddressSanitizer ends it, too, where its runtime is not the
 * first library, and ThreadSanitizer takes our work for the program's.
 *
 * true: it cannot. What cannot be found or read is left to the kernel: false. A script is what runs
 * it. Async-signal-safe.
 */
#ifndef EVPROF_PRELOAD_HOOKS_EXEC_TARGET_H
#define EVPROF_PRELOAD_HOOKS_EXEC_TARGET_H

#include <stdbool.h>

bool ep_exec_target_refuses_fd(int fd);

/* The program is the one that openat(2) finds; with AT_EMPTY_PATH in flags and an empty path it is
 * folder_fd itself. */
bool ep_exec_target_refuses(int folder_fd, const char *path, int flags);

/* The program is the one that execvp(3) finds. */
bool ep_exec_target_refuses_file(const char *file);

#endif
