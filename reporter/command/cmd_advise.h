/* SPDX-License-Identifier: BSD-3-Clause */
/* evreport advise: finds causes of the hot procedures' cycles, and remedies that may help. */
#ifndef EVPROF_REPORTER_COMMAND_CMD_ADVISE_H
#define EVPROF_REPORTER_COMMAND_CMD_ADVISE_H

int ep_cmd_advise(int argc, char **argv);

#endif
