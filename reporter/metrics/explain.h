/* SPDX-License-Identifier: BSD-3-Clause */
/* From a metric back to the counts, the equations and their source. */
#ifndef EVPROF_REPORTER_METRICS_EXPLAIN_H
#define EVPROF_REPORTER_METRICS_EXPLAIN_H

#include "reporter/metrics/scopes.h"
#include "reporter/text/layout.h"

/* The metric, what it is computed from by definition, the counts that this leads to, and where the
 * equations come from. A scope without a report has no counts: what the metric is by definition.
 * -ENOENT: the model has no such metric; -ENOMEM. */
int ep_explain(const struct ep_metric_scope *scope, struct ep_model *model, const char *metric,
	const struct ep_layout *layout) EP_MUST_CHECK;

#endif
