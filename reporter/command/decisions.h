/* SPDX-License-Identifier: BSD-3-Clause */
/* evreport --verbose: prints on stderr what the reporter decided for a trace, and why. */
#ifndef EVPROF_REPORTER_COMMAND_DECISIONS_H
#define EVPROF_REPORTER_COMMAND_DECISIONS_H

#include "reporter/facts/report.h"

#include <stdio.h>

/* Prints the decisions for a finished report; why_filler says why its estimator was chosen. */
void ep_decisions_print(FILE *out, const struct ep_trace *trace, const struct ep_symbols *symbols,
	const struct ep_report *report, const char *why_filler);

#endif
