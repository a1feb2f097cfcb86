/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * evprof's descriptors in the program's process. They have numbers above those that the program uses, are
 * close-on-exec, and are known by number, so that the hooks of close and dup2 leave them alone.
 */
#ifndef EVPROF_COMMON_OS_FDS_H
#define EVPROF_COMMON_OS_FDS_H

#include <stdbool.h>

/* Reads the limits. Called once per process. */
void ep_fds_init(void);

/* Returns the number of evprof's first descriptor, if the program does not use it. */
int ep_fds_lowest(void);

/* Tells whether the program has few descriptors and evprof cannot have numbers above them: then evprof keeps none open
 * for long. */
bool ep_fds_are_scarce(void);

/*
 * Moves a new descriptor above the program's numbers: above the soft limit of open files where the hard limit leaves
 * room (so that the program can still open as many files as before), else to the highest allowed numbers. *holder
 * changes when the program takes that number. Returns *holder, the new number, or a negative errno (fd is closed then).
 */
int ep_fds_lift(int fd, int *holder);

/* Closes a lifted descriptor; *holder becomes -1. Does nothing for -1. */
void ep_fds_close(int *holder);

/* Forgets a descriptor that the program has closed without a hook; *holder becomes -1. */
void ep_fds_forget(int *holder);

/* Tells whether fd is one of evprof's descriptors. */
bool ep_fds_is_ours(int fd);

/* Moves evprof's descriptor to another number, since the program wants this one. */
void ep_fds_move_away(int fd);

/* Returns evprof's first descriptor that is at least fd; -1: there is none. */
int ep_fds_next(int fd);

/* Closes and forgets every descriptor except the one held at keep, after a fork. */
void ep_fds_close_all_but(const int *keep);

#endif
