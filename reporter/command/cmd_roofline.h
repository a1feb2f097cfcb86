/* SPDX-License-Identifier: BSD-3-Clause */
/* evreport roofline: shows operations per second over operations per byte, and the roof above them. */
#ifndef EVPROF_REPORTER_COMMAND_CMD_ROOFLINE_H
#define EVPROF_REPORTER_COMMAND_CMD_ROOFLINE_H

int ep_cmd_roofline(int argc, char **argv);

#endif
