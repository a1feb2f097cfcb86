/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps a copy of the program that is about to run, for reports after the program was built anew. */
#ifndef EVPROF_LAUNCHER_KEEP_PROGRAMS_H
#define EVPROF_LAUNCHER_KEEP_PROGRAMS_H

/* Keeps copies of the program at path and of the libraries that it is linked with, except those of the system. If a
 * file cannot be copied, reports know its names only until it is changed or moved. The libraries are looked for in the
 * environment of this process, which the program will have. */
void ep_keep_program(const char *path);

#endif
