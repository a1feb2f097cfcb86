/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_REPORTER_COMMAND_CMD_REPORT_H
#define EVPROF_REPORTER_COMMAND_CMD_REPORT_H

#define EP_DEFAULT_TRACE "trace.gz"

int ep_cmd_report(int argc, char **argv);
void ep_report_print_options(void); /* prints the options for --help */
#define EP_REPORT_DATA_BINS 120     /* number of bins of a timeline in JSON and CSV */
int ep_cmd_info(int argc, char **argv);
int ep_cmd_dump(int argc, char **argv);

#endif
