/* SPDX-License-Identifier: BSD-3-Clause */
/* The sentences of advise in the report's In short. */
#ifndef EVPROF_REPORTER_ADVISE_ADVISE_IN_SHORT_H
#define EVPROF_REPORTER_ADVISE_ADVISE_IN_SHORT_H

#include "reporter/facts/report.h"

/* Adds a sentence at the report's beginning, when the trace has what LCPI is made of; else nothing.
 * 0 or -ENOMEM. cpuid: of ep_trace_cpuid. */
int ep_advise_in_short(struct ep_report *report, const char *cpuid) EP_MUST_CHECK;

#endif
