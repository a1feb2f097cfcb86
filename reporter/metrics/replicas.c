// SPDX-License-Identifier: BSD-3-Clause
/*
 * Computes errors of metrics by evaluating them on each replica of the counts (jackknife). The difference of two
 * events that the same slices measured is known better than either of them, and so is a ratio. One thread.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/metrics/scopes.h"

/* Tells whether a name is an alias of an event: ep_event_table_alias() sets the alias again, from the event's
 * changed value. */
static bool is_alias(const struct ep_metric_scope *scope, const char *name)
{
	const struct ep_event_row *row = ep_event_table_find(scope->table, name);

	return row && row->open;
}

/* Makes the scope's values as replica j has them. With j = -1 it makes the unchanged values, with the errors
 * that the replicas do not include. */
static int make_replica(const struct ep_metric_scope *scope, int j, struct ep_values *out)
{
	const struct ep_names *names = &scope->values.names;
	int rc = 0;

	for (uint32_t e = 0; !rc && e < scope->report->n_events; e++) {
		const char *name = scope->report->events[e].name;
		struct ep_measured changed = *ep_values_find(&scope->values, name);

		if (j < 0)
			changed.standard_error = scope->placing_errors[e];
		else
			changed.value += scope->changes[(size_t)e * EP_N_REPLICAS + (size_t)j];
		rc = ep_values_set(out, name, changed);
	}
	for (uint32_t i = 0; !rc && i < names->n_names; i++)
		if (ep_names_find(&out->names, names->texts[i]) == EP_NONE &&
			!is_alias(scope, names->texts[i]))
			rc = ep_values_set(out, names->texts[i], scope->values.values[i]);
	return rc ? rc : ep_event_table_alias(scope->table, out);
}

static void add_squares(uint32_t n_metrics, const struct ep_metric_value *metrics,
	const struct ep_metric_value *changed, double *squares)
{
	for (uint32_t i = 0; i < n_metrics; i++) {
		double by = changed[i].result.absence
				    ? NAN
				    : changed[i].result.value - metrics[i].result.value;

		squares[i] += by * by;
	}
}

static int add_replicas(const struct ep_metric_scope *scope, struct ep_model *model,
	const struct ep_metric_value *metrics, double *squares)
{
	uint32_t n = ep_model_file(model)->n_metrics;
	EP_AUTOFREE struct ep_metric_value *changed = calloc(n + 1, sizeof(*changed));
	int rc = changed ? 0 : -ENOMEM;

	for (int j = 0; !rc && j < EP_N_REPLICAS; j++) {
		__attribute__((cleanup(ep_values_finish))) struct ep_values values = { 0 };

		rc = make_replica(scope, j, &values);
		if (!rc)
			rc = ep_model_eval(model, &values, changed, NULL);
		if (!rc)
			add_squares(n, metrics, changed, squares);
	}
	return rc;
}

static bool has_mixing(const struct ep_metric_scope *scope)
{
	for (uint32_t e = 0; e < scope->report->n_events; e++)
		if (scope->placing_errors[e] > 0)
			return true;
	return false;
}

/* Adds the errors of mixing (slices that hold several places) to those of the replicas; their squares add up,
 * since the two errors are independent. */
static int add_mixing(const struct ep_metric_scope *scope, struct ep_model *model, double *squares)
{
	__attribute__((cleanup(ep_values_finish))) struct ep_values values = { 0 };
	uint32_t n = ep_model_file(model)->n_metrics;
	EP_AUTOFREE struct ep_metric_value *metrics = calloc(n + 1, sizeof(*metrics));
	int rc = metrics ? make_replica(scope, -1, &values) : -ENOMEM;

	if (!rc)
		rc = ep_model_eval(model, &values, metrics, NULL);
	for (uint32_t i = 0; !rc && i < n; i++)
		squares[i] += metrics[i].result.standard_error * metrics[i].result.standard_error *
			      EP_N_REPLICAS / (EP_N_REPLICAS - 1);
	return rc;
}

int ep_metric_scope_eval(const struct ep_metric_scope *scope, struct ep_model *model,
	struct ep_metric_value *out_metrics, struct ep_check_value *out_checks)
{
	uint32_t n = ep_model_file(model)->n_metrics;
	EP_AUTOFREE double *squares = calloc(n + 1, sizeof(*squares));
	int rc = ep_model_eval(model, &scope->values, out_metrics, out_checks);

	if (rc || !scope->changes)
		return rc;
	rc = squares ? add_replicas(scope, model, out_metrics, squares) : -ENOMEM;
	if (!rc && has_mixing(scope))
		rc = add_mixing(scope, model, squares);
	/* The error of an amount of the machine, such as energy, is not known for a part of the run. Replicas
	 * do not contain this error, so that such a metric's error stays unknown. */
	for (uint32_t i = 0; !rc && i < n; i++)
		if (!out_metrics[i].result.absence && !isnan(out_metrics[i].result.standard_error))
			out_metrics[i].result.standard_error =
				sqrt(squares[i] * (EP_N_REPLICAS - 1) / EP_N_REPLICAS);
	return rc;
}
