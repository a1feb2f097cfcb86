/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_REPORTER_COMMAND_DUMP_CALLGRIND_H
#define EVPROF_REPORTER_COMMAND_DUMP_CALLGRIND_H

/* Writes the files of callgrind that a trace has to a folder, which is made if needed. The names are
 * callgrind.out.PID, and .1, .2, ... follow for further files of the same PID. Returns the exit status. */
int ep_dump_callgrind(const char *folder, const char *trace_path);

#endif
