/* SPDX-License-Identifier: BSD-3-Clause */
/* Shows text that is longer than the terminal's screen with a pager, as git does. */
#ifndef EVPROF_REPORTER_COMMAND_PAGER_H
#define EVPROF_REPORTER_COMMAND_PAGER_H

/* If standard output is a terminal, sends it to the program $PAGER, or to less if PAGER is not set. Nothing changes if
 * the pager cannot be started, if PAGER is empty or cat, or if TERM is dumb or not set. A command calls this after
 * ep_terminal_look, which needs the terminal as standard output. */
void ep_pager_start(void);
/* Waits until the user ends the pager; then standard output is the terminal again. */
void ep_pager_finish(void);

#endif
