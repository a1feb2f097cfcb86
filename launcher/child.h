/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that runs below the launcher as if it were run in its place. */
#ifndef EVPROF_LAUNCHER_CHILD_H
#define EVPROF_LAUNCHER_CHILD_H

#include <sys/types.h>

/* Waits for the child, to which signals are passed on until then; what waitpid says of it. Signals of the
 * terminal, which the child has as well, are ignored from here on. */
int ep_child_wait(pid_t child);

/* The exit status that waitpid's says; where that was a signal, this process dies of it. */
int ep_child_end_as(int status);

#endif
