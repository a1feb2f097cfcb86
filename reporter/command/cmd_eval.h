/* SPDX-License-Identifier: BSD-3-Clause */
/* evreport eval: computes metrics from a file of values. */
#ifndef EVPROF_REPORTER_COMMAND_CMD_EVAL_H
#define EVPROF_REPORTER_COMMAND_CMD_EVAL_H

int ep_cmd_eval(int argc, char **argv);

#endif
