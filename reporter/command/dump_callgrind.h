/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_REPORTER_COMMAND_DUMP_CALLGRIND_H
#define EVPROF_REPORTER_COMMAND_DUMP_CALLGRIND_H

/* Writes the files of callgrind that a trace has to a folder, which is made if needed. A file's name is
 * callgrind.out.PID; further files of the same PID have .1, .2, ... appended. Returns the exit status. */
int ep_dump_callgrind(const char *folder, const char *trace_path);

#endif
