/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes the few metrics that the report itself shows. */
#ifndef EVPROF_REPORTER_METRICS_SUMMARY_H
#define EVPROF_REPORTER_METRICS_SUMMARY_H

#include "common/formula/model.h"
#include "reporter/facts/report.h"

/* Evaluates the models of the CPU with this identifier (NULL: not known) on the whole run, and adds their
 * metrics of level 1 to the report. Adds no metrics if the CPU has no models, or if none of their events were
 * counted. If formula files cannot be read, a finding says so, since the rest of the report is complete
 * without them. Returns 0 or -ENOMEM. */
int ep_metrics_summarize(struct ep_report *report, const char *cpuid) EP_MUST_CHECK;

/* Returns a metric's value as reports show it; the file owns its texts. */
struct ep_report_metric ep_metric_row(
	const struct ep_formula_file *file, const struct ep_metric_value *value);

#endif
