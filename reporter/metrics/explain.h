/* SPDX-License-Identifier: BSD-3-Clause */
/* Explains a metric: prints its equations and their source, and the counts that lead to its value. */
#ifndef EVPROF_REPORTER_METRICS_EXPLAIN_H
#define EVPROF_REPORTER_METRICS_EXPLAIN_H

#include "reporter/metrics/scopes.h"
#include "reporter/text/layout.h"

/* Prints the metric's value and definition, those of the metrics that the definition needs, the counts that
 * they need, and the source of the equations. A scope without a report has no counts; then only definitions
 * and names of events are printed. Returns 0, -ENOENT if the model does not have the metric, or -ENOMEM. */
int ep_explain(const struct ep_metric_scope *scope, struct ep_model *model, const char *metric,
	const struct ep_layout *layout) EP_MUST_CHECK;

#endif
