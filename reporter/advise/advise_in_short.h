/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds the sentences of advise to the beginning of the report (In short). */
#ifndef EVPROF_REPORTER_ADVISE_ADVISE_IN_SHORT_H
#define EVPROF_REPORTER_ADVISE_ADVISE_IN_SHORT_H

#include "reporter/facts/report.h"

/* Adds a sentence on the hottest procedure, if the trace has the events of LCPI. cpuid is as ep_trace_cpuid gives
 * it. Returns 0 or -ENOMEM. */
int ep_advise_in_short(struct ep_report *report, const char *cpuid) EP_MUST_CHECK;

#endif
