/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles LD_PRELOAD of a program that is about to be executed. If evprof's library cannot be opened there (in another
 * root, or by another user), ld.so would print a message on the standard error of the program and of all programs that
 * it starts. A program that cannot take the library (preload/hooks/exec_target.h) may even end.
 */
#ifndef EVPROF_PRELOAD_HOOKS_PRELOAD_VARIABLE_H
#define EVPROF_PRELOAD_HOOKS_PRELOAD_VARIABLE_H

#include <stdbool.h>
#include <stddef.h>

/* A copy of an environment that takes fewer pointers than this is made on the program's stack. Any larger copy is made
 * in memory of evprof's own. */
#define EP_PRELOAD_FEW 1024

/* Tells whether envp's LD_PRELOAD has a library of evprof's, anywhere in the list, that cannot be opened or that the
 * next program refuses (is_refused). Returns the size of a copy of envp without these libraries, in pointers; 0: envp
 * may stay as it is. Async-signal-safe, like the next two functions. */
size_t ep_preload_variable_lost(char *const envp[], bool is_refused);

/* Returns room for n pointers, which belongs to the calling thread until ep_preload_variable_release; NULL: there is no
 * memory. A child of vfork shares the thread's memory and never releases its room, so the thread's next call uses that
 * room again. */
char **ep_preload_variable_room(size_t n);
void ep_preload_variable_release(void);

/* Copies envp without those libraries to kept, which has the size that ep_preload_variable_lost returned. */
void ep_preload_variable_drop(char *const envp[], bool is_refused, char **kept);

#endif
