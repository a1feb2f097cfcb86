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

/* Returns the lowest number that a descriptor of evprof may have. evprof's first descriptor gets this number, unless
 * the program uses it. */
int ep_fds_lowest(void);

/* Tells whether the program may have few descriptors and evprof cannot have numbers above them. If so, evprof keeps no
 * descriptor open for long. */
bool ep_fds_are_scarce(void);

/*
 * Moves a new descriptor above the program's numbers: above the soft limit of open files where the hard limit leaves
 * room (so that the program can still open as many files as before), else to the highest allowed numbers. Sets *holder
 * to the new number; *holder changes when the program wants this number and the descriptor moves. Returns the new
 * number, or a negative errno. fd itself is closed.
 */
int ep_fds_lift(int fd, int *holder);

/* Closes a lifted descriptor; *holder becomes -1. Does nothing for -1. */
void ep_fds_close(int *holder);

/* Forgets a descriptor that the program has closed by a system call of its own; *holder becomes -1. */
void ep_fds_forget(int *holder);

/* Tells whether fd is one of evprof's descriptors. */
bool ep_fds_is_ours(int fd);

/* Moves evprof's descriptor fd to another number, since the program wants the number fd. */
void ep_fds_move_away(int fd);

/* Returns evprof's first descriptor that is at least fd; -1: there is none. */
int ep_fds_next(int fd);

/* Closes and forgets every descriptor except the one held at keep, after a fork. */
void ep_fds_close_all_but(const int *keep);

#endif
