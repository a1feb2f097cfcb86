/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are written under another name until they are complete. A command that SIGHUP, SIGINT or SIGTERM ends
 * removes them first. */
#ifndef EVPROF_COMMON_UNFINISHED_H
#define EVPROF_COMMON_UNFINISHED_H

/* Notes that the file at path shall be removed when such a signal ends the process, unless the signal was ignored or
 * handled before. Returns the argument for ep_unfinished_end; 0: there was no room. Any thread may call this. */
int ep_unfinished_begin(const char *path);
/* Notes that the file is complete, or removed. unfinished 0: does nothing. */
void ep_unfinished_end(int unfinished);

#endif
