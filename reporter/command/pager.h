/* SPDX-License-Identifier: BSD-3-Clause */
/* Text that is longer than the terminal's screen goes through a pager, as git's output does. */
#ifndef EVPROF_REPORTER_COMMAND_PAGER_H
#define EVPROF_REPORTER_COMMAND_PAGER_H

/* From here on standard output goes to $PAGER, else to less, where it is a terminal. Without one that can
 * be started, with an empty PAGER or cat, and with TERM=dumb it stays what it was. A command calls it
 * behind ep_terminal_look, which asks the terminal. */
void ep_pager_start(void);
/* Waits until the reader has seen it all; standard output is the terminal again. */
void ep_pager_finish(void);

#endif
