/* SPDX-License-Identifier: BSD-3-Clause */
/* evreport metrics: evaluates models on a trace. */
#ifndef EVPROF_REPORTER_COMMAND_CMD_METRICS_H
#define EVPROF_REPORTER_COMMAND_CMD_METRICS_H

int ep_cmd_metrics(int argc, char **argv);

#endif
