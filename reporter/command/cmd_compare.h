/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_REPORTER_COMMAND_CMD_COMPARE_H
#define EVPROF_REPORTER_COMMAND_CMD_COMPARE_H

int ep_cmd_compare(int argc, char **argv);

#endif
