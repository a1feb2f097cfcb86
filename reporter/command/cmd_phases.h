/* SPDX-License-Identifier: BSD-3-Clause */
/* evreport phases: shows when the run did something else, and which phases are alike. */
#ifndef EVPROF_REPORTER_COMMAND_CMD_PHASES_H
#define EVPROF_REPORTER_COMMAND_CMD_PHASES_H

int ep_cmd_phases(int argc, char **argv);

#endif
