/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits for a program that runs as a child of the launcher, as if the program ran in the launcher's place. */
#ifndef EVPROF_LAUNCHER_CHILD_H
#define EVPROF_LAUNCHER_CHILD_H

#include <sys/types.h>

/* Waits for the child, and passes signals on to it in the meantime. Returns waitpid's status. From this call on, this
 * process ignores the signals that the terminal sends to the child as well. */
int ep_child_wait(pid_t child);

/* Returns the exit status in waitpid's status. Where a signal ended the child, this process ends by the same signal. */
int ep_child_end_as(int status);

#endif
