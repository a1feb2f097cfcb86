/* SPDX-License-Identifier: BSD-3-Clause */
/* Shows text that is longer than the terminal's screen with a pager, as git does. */
#ifndef EVPROF_REPORTER_COMMAND_PAGER_H
#define EVPROF_REPORTER_COMMAND_PAGER_H

/* Sends standard output to $PAGER, or to less if PAGER is not set, where it is a terminal. Nothing changes where
 * the pager cannot be started, where PAGER is empty or cat, and where TERM is dumb. A command calls this after
 * ep_terminal_look, which asks the terminal. */
void ep_pager_start(void);
/* Waits until the user ends the pager; then standard output is the terminal again. */
void ep_pager_finish(void);

#endif
