/* SPDX-License-Identifier: BSD-3-Clause */
/* evreport reduce: adds many traces up into one file of sums. */
#ifndef EVPROF_REPORTER_COMMAND_CMD_REDUCE_H
#define EVPROF_REPORTER_COMMAND_CMD_REDUCE_H

int ep_cmd_reduce(int argc, char **argv);

#endif
