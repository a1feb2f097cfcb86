/* SPDX-License-Identifier: BSD-3-Clause */
/* evreport explain: explains a metric, or a category of advise, on a CPU. */
#ifndef EVPROF_REPORTER_COMMAND_CMD_EXPLAIN_H
#define EVPROF_REPORTER_COMMAND_CMD_EXPLAIN_H

int ep_cmd_explain(int argc, char **argv);

#endif
