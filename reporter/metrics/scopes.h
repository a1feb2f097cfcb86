/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes sets of values for formulas from the counts of a finished report; each set is a scope. */
#ifndef EVPROF_REPORTER_METRICS_SCOPES_H
#define EVPROF_REPORTER_METRICS_SCOPES_H

#include "common/formula/event_table.h"
#include "common/formula/model.h"
#include "common/formula/values.h"
#include "reporter/facts/report.h"

struct ep_metric_scope {
	char *name;
	struct ep_values values;
	uint64_t n_samples; /* samples of a procedure, line or loop; 0 for other scopes */
	/* (n_events of the report, EP_N_REPLICAS) by how much each replica of the estimates changes the
	 * scope's counts; NULL: not known */
	float *changes;
	/* (n_events of the report) standard errors by mixing, which replicas do not include; NULL if changes
	 * is NULL */
	double *placing_errors;
	const struct ep_report *report;
	const struct ep_event_table *table;
};

struct ep_metric_scopes {
	struct ep_metric_scope *scopes; /* (n_scopes) most CPU time first, or in time order */
	uint32_t n_scopes, capacity;
};

enum ep_scope_by {
	EP_SCOPE_PROGRAM,
	EP_SCOPE_PROCESS,
	EP_SCOPE_THREAD,
	EP_SCOPE_PROCEDURE,
	EP_SCOPE_LINE, /* a source line, as "gather, fem.c:212" */
	EP_SCOPE_LOOP, /* a loop, as "loop at fem.c:212 in gather", if the report has loops */
	EP_SCOPE_TIME, /* one per bin of the report's timeline */
};

struct ep_scope_request {
	enum ep_scope_by by;
	/* the most processes; 0: all. The report has cut the other lists itself */
	uint32_t top;
	/* seconds since the run's start; NaN: no limit. For EP_SCOPE_PROGRAM and EP_SCOPE_TIME only, rounded
	 * to whole bins of the timeline */
	double from_s, to_s;
};

/* Makes the scopes. Their duration_time is the wall time, or the self time for a procedure, line or loop; it
 * is not known for a simulated run. An estimated count has the estimator's error, if that is known, and the
 * share of the time in which it was measured as its coverage. Returns 0 or -ENOMEM. */
int ep_metric_scopes_create(const struct ep_report *report, const struct ep_scope_request *request,
	const struct ep_event_table *table, struct ep_metric_scopes *out) EP_MUST_CHECK;
/* Makes one scope without a name from counts (n_events) of the report's rows, or from sums of such rows;
 * cpu_ns is the self time of the place that the counts belong to. Returns 0 or -ENOMEM. */
int ep_metric_scope_of_values(const struct ep_report *report, const struct ep_report_value *values,
	double cpu_ns, const struct ep_event_table *table,
	struct ep_metric_scopes *out) EP_MUST_CHECK;
/* Evaluates the model on the scope as ep_model_eval does. If the scope has changes, the standard errors are
 * those of the replicas, in which counts of the same slices change together. Returns 0 or -ENOMEM. */
int ep_metric_scope_eval(const struct ep_metric_scope *scope, struct ep_model *model,
	struct ep_metric_value *out_metrics, struct ep_check_value *out_checks) EP_MUST_CHECK;
void ep_metric_scopes_finish(struct ep_metric_scopes *scopes);

#endif
