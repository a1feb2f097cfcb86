/* SPDX-License-Identifier: BSD-3-Clause */
/* The few metrics that the report itself shows. */
#ifndef EVPROF_REPORTER_METRICS_SUMMARY_H
#define EVPROF_REPORTER_METRICS_SUMMARY_H

#include "common/formula/model.h"
#include "reporter/facts/report.h"

/* Evaluates the models of the CPU with this identifier (NULL: not known) on the whole run and hands
 * their level-1 metrics to the report, which keeps them. Of a CPU without models, or with none of
 * their events counted, there are none; formula files that cannot be read become a finding, since
 * the report says the rest without them. 0 or -ENOMEM. */
int ep_metrics_summarize(struct ep_report *report, const char *cpuid) EP_MUST_CHECK;

/* A metric's value as reports show it; its texts are the file's. */
struct ep_report_metric ep_metric_row(
	const struct ep_formula_file *file, const struct ep_metric_value *value);

#endif
