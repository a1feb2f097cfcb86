/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps the program that is about to run, for reports after it was built anew. */
#ifndef EVPROF_LAUNCHER_KEEP_PROGRAMS_H
#define EVPROF_LAUNCHER_KEEP_PROGRAMS_H

/* Keeps the program at path and the libraries that it is linked with, except those of the system. If a file cannot be
 * kept, its names are known as long as it stays where it is. The environment is the program's. */
void ep_keep_program(const char *path);

#endif
