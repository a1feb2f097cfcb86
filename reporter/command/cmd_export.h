/* SPDX-License-Identifier: BSD-3-Clause */
/* evreport export: writes the whole call tree in the formats of other tools' viewers. */
#ifndef EVPROF_REPORTER_COMMAND_CMD_EXPORT_H
#define EVPROF_REPORTER_COMMAND_CMD_EXPORT_H

int ep_cmd_export(int argc, char **argv);

#endif
