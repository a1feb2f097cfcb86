/* SPDX-License-Identifier: BSD-3-Clause */
/* The ratios of counts that the report's text has for each procedure: IPC and misses. */
#ifndef EVPROF_REPORTER_METRICS_RATIOS_H
#define EVPROF_REPORTER_METRICS_RATIOS_H

#include "reporter/facts/report.h"

/* Evaluates the ratios on the first procedures by the models of the CPU with this identifier (NULL:
 * not known), else by Linux's general events, and keeps them in the report; without hardware events
 * there are none. 0 or -ENOMEM. */
int ep_ratios_summarize(struct ep_report *report, const char *cpuid) EP_MUST_CHECK;

#endif
