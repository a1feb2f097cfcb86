/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LD_PRELOAD of a program that is about to be executed. Where the library cannot be opened, in
 * another root or by another user, ld.so would say so on the program's standard error, for it and
 * for all that it starts; what cannot take it (preload/hooks/exec_target.h) may even end over it.
 */
#ifndef EVPROF_PRELOAD_HOOKS_PRELOAD_VARIABLE_H
#define EVPROF_PRELOAD_HOOKS_PRELOAD_VARIABLE_H

#include <stdbool.h>
#include <stddef.h>

#define EP_PRELOAD_TEXT_BYTES 512
/* An environment of so many entries is copied to the program's stack, a larger one to memory of our own. */
#define EP_PRELOAD_FEW 1024

/* Returns how many entries envp has, if its LD_PRELOAD begins with our library and that cannot be
 * opened, or is refused; 0: it may stay as it is. Async-signal-safe, as the next. */
size_t ep_preload_variable_lost(char *const envp[], bool is_refused);

/* Room for so many pointers, the calling thread's until the release; NULL when there is none. What a
 * child of vfork took, which shares the thread's memory and never comes back, serves the next call. */
char **ep_preload_variable_room(size_t n);
void ep_preload_variable_release(void);

/* envp without our library, in kept, of as many entries and one more; text is for what else
 * LD_PRELOAD has. */
void ep_preload_variable_drop(char *const envp[], char **kept, char text[EP_PRELOAD_TEXT_BYTES]);

#endif
