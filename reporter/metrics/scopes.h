/* SPDX-License-Identifier: BSD-3-Clause */
/* What a finished report counted, as formulas take it: one set of values per scope. */
#ifndef EVPROF_REPORTER_METRICS_SCOPES_H
#define EVPROF_REPORTER_METRICS_SCOPES_H

#include "common/formula/event_table.h"
#include "common/formula/values.h"
#include "reporter/report/report.h"

struct ep_metric_scope {
	char *name;
	struct ep_values values;
};

struct ep_metric_scopes {
	struct ep_metric_scope *scopes; /* (n_scopes), most CPU time first */
	uint32_t n_scopes;
};

enum ep_scope_by { EP_SCOPE_PROGRAM, EP_SCOPE_THREAD, EP_SCOPE_PROCEDURE };

/* duration_time is wall time, of a procedure its own CPU time. An estimated count carries an
 * unknown error and the share of the time in which it was measured. 0 or -ENOMEM. */
int ep_metric_scopes_create(const struct ep_report *report, enum ep_scope_by by,
	const struct ep_event_table *table, struct ep_metric_scopes *out) EP_MUST_CHECK;
void ep_metric_scopes_finish(struct ep_metric_scopes *scopes);

#endif
