// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/metrics/metric_tree.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/containers/index.h"
#include "reporter/metrics/scopes.h"
#include "reporter/metrics/summary.h"

#define DEEPEST 16

/* The metrics of one model, for the whole run and for each bin. */
struct model_values {
	struct ep_metric_tree *tree;
	const struct ep_formula_file *file;
	struct ep_metric_value *whole; /* (n_metrics) values for the whole run */
	double *bins;                  /* (n_metrics, n_bins) values over time */
	uint32_t n_bins;
};

/* Returns in words why the value is absent; NULL: it is present. */
static const char *lack_of(const struct ep_result *result)
{
	switch (result->absence) {
	case EP_PRESENT:
		return NULL;
	/* duration_time has no counter, so that "not counted" would be wrong */
	case EP_ABSENT_MISSING:
		return result->subject && !strcmp(result->subject, "duration_time") ? "not known"
										    : "not counted";
	case EP_ABSENT_MIXED:
		return "mixed";
	default:
		return "not known";
	}
}

static double *copy_bins(const struct model_values *v, uint32_t metric)
{
	const double *bins = v->bins + (size_t)metric * v->n_bins;
	double *copy;
	bool is_known = false;

	for (uint32_t i = 0; i < v->n_bins; i++)
		is_known |= isfinite(bins[i]);
	if (!is_known)
		return NULL;
	copy = malloc(v->n_bins * sizeof(*copy));
	if (copy)
		memcpy(copy, bins, v->n_bins * sizeof(*copy));
	return copy;
}

static int add_metric(const struct model_values *v, uint32_t metric, uint32_t depth)
{
	struct ep_metric_tree *tree = v->tree;
	const struct ep_metric_value *value = &v->whole[metric];
	const struct ep_formula_metric *formula = value->metric;
	struct ep_tree_metric row = { .row = ep_metric_row(v->file, value),
		.about = formula->about,
		.metric_idx = metric,
		.depth = depth,
		.is_loss = !formula->role || strcmp(formula->role, "useful") != 0 };

	if (EP_ARRAY_RESERVE(tree->metrics, tree->n_metrics, tree->capacity))
		return -ENOMEM;
	if (value->result.absence)
		row.row.value = ep_quantity_unknown(lack_of(&value->result));
	row.over_time = copy_bins(v, metric);
	tree->metrics[tree->n_metrics++] = row;
	return 0;
}

/* Adds the metrics below parent. Intermediate values have no level and are in no tree. */
static int add_below(const struct model_values *v, const char *parent, uint32_t depth)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < v->file->n_metrics && depth < DEEPEST; i++) {
		const struct ep_formula_metric *metric = &v->file->metrics[i];
		bool is_child = parent ? metric->parent && !strcmp(metric->parent, parent)
				       : !metric->parent;

		if (!is_child || !(metric->level >= 1))
			continue;
		rc = add_metric(v, i, depth);
		if (!rc)
			rc = add_below(v, metric->name, depth + 1);
	}
	return rc;
}

static int fill_bins(
	struct model_values *v, struct ep_model *model, const struct ep_metric_scopes *times)
{
	EP_AUTOFREE struct ep_metric_value *values =
		calloc(v->file->n_metrics + 1, sizeof(*values));
	int rc = values ? 0 : -ENOMEM;

	for (uint32_t s = 0; !rc && s < v->n_bins; s++) {
		rc = ep_model_eval(model, &times->scopes[s].values, values, NULL);
		for (uint32_t i = 0; !rc && i < v->file->n_metrics; i++)
			v->bins[(size_t)i * v->n_bins + s] =
				values[i].result.absence ? NAN : values[i].result.value;
	}
	return rc;
}

static bool has_values(const struct model_values *v)
{
	for (uint32_t i = 0; i < v->file->n_metrics; i++)
		if (v->whole[i].metric->level >= 1 && !v->whole[i].result.absence)
			return true;
	return false;
}

static int add_model(struct ep_metric_tree *tree, struct ep_model *model,
	const struct ep_metric_scope *whole, const struct ep_metric_scopes *times)
{
	const struct ep_formula_file *file = ep_model_file(model);
	EP_AUTOFREE struct ep_metric_value *values = calloc(file->n_metrics + 1, sizeof(*values));
	EP_AUTOFREE double *bins =
		calloc((size_t)file->n_metrics * times->n_scopes + 1, sizeof(*bins));
	struct model_values v = { tree, file, values, bins, times->n_scopes };
	int rc = values && bins ? ep_metric_scope_eval(whole, model, values, NULL) : -ENOMEM;

	if (rc || !has_values(&v))
		return rc;
	rc = fill_bins(&v, model, times);
	return rc ? rc : add_below(&v, NULL, 0);
}

static int add_models(struct ep_metric_tree *tree, const struct ep_report *report)
{
	__attribute__((cleanup(ep_metric_scopes_finish))) struct ep_metric_scopes whole = { 0 };
	__attribute__((cleanup(ep_metric_scopes_finish))) struct ep_metric_scopes times = { 0 };
	const struct ep_scope_request of_whole = { EP_SCOPE_PROGRAM, 0, NAN, NAN };
	const struct ep_scope_request of_time = { EP_SCOPE_TIME, 0, NAN, NAN };
	int rc = ep_metric_scopes_create(report, &of_whole, &tree->models.table, &whole);

	if (!rc)
		rc = ep_metric_scopes_create(report, &of_time, &tree->models.table, &times);
	for (uint32_t i = 0; !rc && i < tree->models.n_models; i++)
		rc = add_model(tree, tree->models.models[i], &whole.scopes[0], &times);
	return rc;
}

/* Builds the tree. If a formula file cannot be read, the tree stays empty without an error, since
 * ep_metrics_summarize has added a finding on that file. */
int ep_metric_tree_build(
	struct ep_metric_tree *tree, const struct ep_report *report, const char *cpuid)
{
	struct ep_error err = { 0 };
	int rc;

	*tree = (struct ep_metric_tree){ 0 };
	if (!cpuid || !report->n_events)
		return 0;
	rc = ep_chosen_models_open(&tree->models, NULL, NULL, cpuid, &err);
	if (rc)
		return rc == -ENOMEM ? rc : 0;
	return add_models(tree, report);
}

void ep_metric_tree_finish(struct ep_metric_tree *tree)
{
	for (uint32_t i = 0; i < tree->n_metrics; i++)
		free(tree->metrics[i].over_time);
	free(tree->metrics);
	ep_chosen_models_close(&tree->models);
	*tree = (struct ep_metric_tree){ 0 };
}
