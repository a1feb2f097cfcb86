/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles LD_PRELOAD of a program that is about to be executed. Where the library cannot be opened (in another root, or
 * by another user), ld.so would print a message on the standard error of the program and of all programs that it
 * starts. A program that cannot take the library (preload/hooks/exec_target.h) may even end.
 */
#ifndef EVPROF_PRELOAD_HOOKS_PRELOAD_VARIABLE_H
#define EVPROF_PRELOAD_HOOKS_PRELOAD_VARIABLE_H

#include <stdbool.h>
#include <stddef.h>

#define EP_PRELOAD_TEXT_BYTES 512
/* An environment of at most this many entries is copied to the program's stack, a larger one to memory of evprof's own. */
#define EP_PRELOAD_FEW 1024

/* Returns the number of entries in envp if its LD_PRELOAD begins with evprof's library, and that library cannot be
 * opened or is refused. 0: envp may stay as it is. Async-signal-safe, like the next two functions. */
size_t ep_preload_variable_lost(char *const envp[], bool is_refused);

/* Returns room for n pointers, which belongs to the calling thread until the release; NULL where there is no memory. A
 * child of vfork shares the thread's memory and never releases its room, so the thread's next call uses that room
 * again. */
char **ep_preload_variable_room(size_t n);
void ep_preload_variable_release(void);

/* Copies envp without evprof's library to kept, which has room for one entry more than envp. text gets the rest of
 * LD_PRELOAD. */
void ep_preload_variable_drop(char *const envp[], char **kept, char text[EP_PRELOAD_TEXT_BYTES]);

#endif
