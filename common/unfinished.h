/* SPDX-License-Identifier: BSD-3-Clause */
/* Unfinished files: a command writes a file under a temporary name until the file is complete. If SIGHUP, SIGINT or
 * SIGTERM ends the command, its unfinished files are removed first. */
#ifndef EVPROF_COMMON_UNFINISHED_H
#define EVPROF_COMMON_UNFINISHED_H

/* Notes that the file at path is removed if one of these signals ends the process. A signal that was ignored or handled
 * before is left as it was. Returns the argument for ep_unfinished_end; 0: there was no room, so the file would stay.
 * Any thread may call this function. */
int ep_unfinished_begin(const char *path);
/* Notes that the file is complete or has been removed. unfinished is from ep_unfinished_begin; 0: does nothing. */
void ep_unfinished_end(int unfinished);

#endif
