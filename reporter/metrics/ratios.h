/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes ratios of counts that the text report shows for each procedure: IPC and misses. */
#ifndef EVPROF_REPORTER_METRICS_RATIOS_H
#define EVPROF_REPORTER_METRICS_RATIOS_H

#include "reporter/facts/report.h"

/* Evaluates the ratios for the first procedures by the models of the CPU with this identifier (NULL: not
 * known), else by Linux's general events, and keeps the ratios in the report. Without hardware events there
 * are none. Returns 0 or -ENOMEM. */
int ep_ratios_summarize(struct ep_report *report, const char *cpuid) EP_MUST_CHECK;

#endif
