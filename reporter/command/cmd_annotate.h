/* SPDX-License-Identifier: BSD-3-Clause */
/* evreport annotate: prints the source lines and instructions of one procedure or loop, with their costs. */
#ifndef EVPROF_REPORTER_COMMAND_CMD_ANNOTATE_H
#define EVPROF_REPORTER_COMMAND_CMD_ANNOTATE_H

int ep_cmd_annotate(int argc, char **argv);

#endif
