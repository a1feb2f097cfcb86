/* SPDX-License-Identifier: BSD-3-Clause */
/* evreport advise: what costs the hot procedures their cycles, and what to try. */
#ifndef EVPROF_REPORTER_COMMAND_CMD_ADVISE_H
#define EVPROF_REPORTER_COMMAND_CMD_ADVISE_H

int ep_cmd_advise(int argc, char **argv);

#endif
