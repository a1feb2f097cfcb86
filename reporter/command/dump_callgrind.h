/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_REPORTER_COMMAND_DUMP_CALLGRIND_H
#define EVPROF_REPORTER_COMMAND_DUMP_CALLGRIND_H

/* Writes callgrind's files in a trace to a folder, which is made: callgrind.out.PID, and for each
 * further one of that number .1, .2, ... behind it. The exit status. */
int ep_dump_callgrind(const char *folder, const char *trace_path);

#endif
