/* SPDX-License-Identifier: BSD-3-Clause */
/* evreport phases: shows when the run began to do something else, and which phases of the run are alike. */
#ifndef EVPROF_REPORTER_COMMAND_CMD_PHASES_H
#define EVPROF_REPORTER_COMMAND_CMD_PHASES_H

int ep_cmd_phases(int argc, char **argv);

#endif
