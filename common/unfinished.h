/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are written under another name than their own until they are whole: a command that SIGHUP, SIGINT or
 * SIGTERM ends takes them away first. */
#ifndef EVPROF_COMMON_UNFINISHED_H
#define EVPROF_COMMON_UNFINISHED_H

/* From here on the file at path goes when the process ends by such a signal, unless the signal was ignored or handled
 * before. Returns what ep_unfinished_end needs, never 0 but where there is no
 * room. Any thread. */
int ep_unfinished_begin(const char *path);
/* The file is whole, or has gone. 0: there is none. */
void ep_unfinished_end(int unfinished);

#endif
