/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that runs below the launcher as if it were run in its place. */
#ifndef EVPROF_LAUNCHER_CHILD_H
#define EVPROF_LAUNCHER_CHILD_H

#include <sys/types.h>

/* Waits for the child, and passes signals on to it meanwhile. Returns the status that waitpid
 * gives. Signals of the terminal, which the child has as well, are ignored from here on. */
int ep_child_wait(pid_t child);

/* Returns the exit status in waitpid's status; where a signal ended the child, this process dies of
 * it, too. */
int ep_child_end_as(int status);

#endif
