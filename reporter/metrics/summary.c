// SPDX-License-Identifier: BSD-3-Clause
/* Computes the metrics of a report from its totals. One thread. */
#include "reporter/metrics/summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/metrics/choose.h"
#include "reporter/metrics/scopes.h"

enum { MAX_METRICS = 9 }; /* most metrics; with a heading and a last line they fit a short table */

/* Tells whether a model's metrics are shown. The metrics of software events are not, since every trace has
 * these events, and the report's own lists show them. */
static bool is_shown(const struct ep_model *model)
{
	const char *name = ep_model_file(model)->name;

	return name && strcmp(name, "software") != 0;
}

struct ep_report_metric ep_metric_row(
	const struct ep_formula_file *file, const struct ep_metric_value *value)
{
	const struct ep_formula_metric *metric = value->metric;
	const struct ep_formula_kind *kind = ep_formula_kind_find(metric->kind);

	return (struct ep_report_metric){
		.model = file->name,
		.title = file->title,
		.name = metric->name,
		.base = metric->base,
		.unit = metric->unit,
		.value = ep_quantity_within(value->result.value, value->result.standard_error),
		.coverage = value->result.coverage,
		.is_share = kind && kind->shows_percent,
		.is_invalid = value->is_negative || value->is_above_one || value->broken,
		.is_contradicted = ep_trust_is_warning(&value->trust),
	};
}

/* Adds a model's metrics of level 1. Metrics of higher levels, and those without a value, are only counted. */
static int add_model(
	struct ep_report *report, struct ep_model *model, const struct ep_metric_scope *scope)
{
	const struct ep_formula_file *file = ep_model_file(model);
	EP_AUTOFREE struct ep_metric_value *metrics = calloc(file->n_metrics + 1, sizeof(*metrics));
	int rc = metrics ? ep_metric_scope_eval(scope, model, metrics, NULL) : -ENOMEM;

	for (uint32_t i = 0; !rc && i < file->n_metrics; i++) {
		if (!(metrics[i].metric->level >= 1))
			continue;
		if (metrics[i].metric->level > 1 || metrics[i].result.absence ||
			report->n_metrics == MAX_METRICS) {
			report->n_metrics_hidden++;
			continue;
		}
		struct ep_report_metric row = ep_metric_row(file, &metrics[i]);
		rc = ep_report_add_metric(report, &row);
	}
	return rc;
}

static int add_models(struct ep_report *report, const struct ep_chosen_models *chosen)
{
	__attribute__((cleanup(ep_metric_scopes_finish))) struct ep_metric_scopes scopes = { 0 };
	const struct ep_scope_request whole = { EP_SCOPE_PROGRAM, 0, NAN, NAN };
	int rc = ep_metric_scopes_create(report, &whole, &chosen->table, &scopes);

	for (uint32_t i = 0; !rc && i < chosen->n_models; i++)
		if (is_shown(chosen->models[i]))
			rc = add_model(report, chosen->models[i], &scopes.scopes[0]);
	return rc;
}

int ep_metrics_summarize(struct ep_report *report, const char *cpuid)
{
	__attribute__((cleanup(ep_chosen_models_close))) struct ep_chosen_models chosen = { 0 };
	struct ep_error err = { 0 };
	int rc;

	if (!cpuid || !report->n_events)
		return 0;
	rc = ep_chosen_models_open(&chosen, NULL, NULL, cpuid, &err);
	if (!rc)
		return add_models(report, &chosen);
	if (rc == -ENOMEM)
		return rc;
	return ep_report_add_finding(report, EP_FINDING_WARNING, "No metrics: %s%s%s", err.where,
		*err.where ? ": " : "", err.message);
}
