/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tells whether the program that is about to be executed cannot take libevprof.so. A program for another C library
 * (musl) or another architecture cannot: musl's loader ends the program, glibc's prints a message on the program's
 * standard error. Programs with sanitizers cannot either: AddressSanitizer ends a program in which its runtime is not
 * the first library, and ThreadSanitizer takes evprof's work for the program's.
 *
 * The functions return true if the program cannot take the library. They return false for a file that cannot be found
 * or read: the kernel will report that. For a script, the interpreter that runs it is examined. All functions are
 * async-signal-safe.
 */
#ifndef EVPROF_PRELOAD_HOOKS_EXEC_TARGET_H
#define EVPROF_PRELOAD_HOOKS_EXEC_TARGET_H

#include <stdbool.h>

bool ep_exec_target_refuses_fd(int fd);

/* The program is the file that openat(2) finds. With AT_EMPTY_PATH in flags and an empty path, the program is the file
 * that folder_fd itself refers to. */
bool ep_exec_target_refuses(int folder_fd, const char *path, int flags);

/* The program is the one that execvp(3) finds. */
bool ep_exec_target_refuses_file(const char *file);

#endif
