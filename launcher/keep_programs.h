/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps what is about to run, for reports after it was built anew. */
#ifndef EVPROF_LAUNCHER_KEEP_PROGRAMS_H
#define EVPROF_LAUNCHER_KEEP_PROGRAMS_H

/* The program at path and the libraries that it is linked with, but the system's. What cannot be kept is
 * not: its names are then known as long as the file lies there. The environment is the program's. */
void ep_keep_program(const char *path);

#endif
