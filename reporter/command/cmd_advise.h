/* SPDX-License-Identifier: BSD-3-Clause */
/* evreport advise: what costs the hot procedures their cycles, and what to try. */
#ifndef EVPROF_REPORTER_COMMAND_CMD_ADVISE_H
#define EVPROF_REPORTER_COMMAND_CMD_ADVISE_H

#include "reporter/facts/report.h"

int ep_cmd_advise(int argc, char **argv);

/* A sentence for the report's beginning, when the trace has what LCPI is made of; else nothing. 0
 * or -ENOMEM. cpuid: of ep_trace_cpuid. */
int ep_advise_in_short(struct ep_report *report, const char *cpuid) EP_MUST_CHECK;

#endif
