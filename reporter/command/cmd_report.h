/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_REPORTER_COMMAND_CMD_REPORT_H
#define EVPROF_REPORTER_COMMAND_CMD_REPORT_H

#define EP_DEFAULT_TRACE "trace.gz"

struct ep_report;
struct ep_trace;

int ep_cmd_report(int argc, char **argv);
void ep_report_print_options(void); /* for --help */
/* Puts the models' values of the whole run into the report. 0 or -ENOMEM. */
int ep_report_summarize(struct ep_report *report, const struct ep_trace *trace);
#define EP_REPORT_DATA_BINS 120 /* of a timeline for programs */
int ep_cmd_info(int argc, char **argv);
int ep_cmd_dump(int argc, char **argv);

#endif
