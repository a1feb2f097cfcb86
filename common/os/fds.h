/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Our descriptors inside someone else's process: out of the way of the program's own numbers,
 * close-on-exec, and known by number so that the hooks of close and dup2 can step around them.
 */
#ifndef EVPROF_COMMON_OS_FDS_H
#define EVPROF_COMMON_OS_FDS_H

#include <stdbool.h>

/* Looks at the limits; once per process. */
void ep_fds_init(void);

/* The number that the first of ours gets, if the program has left it free. */
int ep_fds_lowest(void);

/* The program has few numbers and we cannot get above them: hold none of them for long. */
bool ep_fds_are_scarce(void);

/*
 * Moves a fresh descriptor above the program's numbers: above the soft limit of open files where
 * the hard one leaves room (so that the program can still open as many files as before), else to
 * the end of what is allowed. *holder is kept up to date when the program takes that number.
 * Returns *holder = the new number, or a negative errno (fd is closed).
 */
int ep_fds_lift(int fd, int *holder);

/* Closes a lifted descriptor; *holder becomes -1. Does nothing for -1. */
void ep_fds_close(int *holder);

/* Forgets a descriptor that the program has closed behind our back; *holder becomes -1. */
void ep_fds_forget(int *holder);

/* Whether fd is one of ours. */
bool ep_fds_is_ours(int fd);

/* The program wants this number: ours moves elsewhere. */
void ep_fds_move_away(int fd);

/* First of ours that is >= fd, or -1. */
int ep_fds_next(int fd);

/* Forgets (and closes) every descriptor but the one held at keep: after fork. */
void ep_fds_close_all_but(const int *keep);

#endif
