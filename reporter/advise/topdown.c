// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/advise/topdown.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/metrics/scopes.h"

static const double min_share = 0.05;

/* A model evaluated on one scope. */
struct topdown_tree {
	struct ep_model *model;
	const struct ep_values *values;
	struct ep_metric_value *metrics; /* (n_metrics of the file) values of the metrics */
};

static int make_tree(
	struct ep_model *model, const struct ep_values *values, struct topdown_tree *out)
{
	*out = (struct topdown_tree){ model, values,
		calloc(ep_model_file(model)->n_metrics + 1, sizeof(*out->metrics)) };
	return out->metrics ? 0 : -ENOMEM;
}

/* Evaluates a model without error bars, since computing them from replicas takes longer. */
static int evaluate(
	struct ep_model *model, const struct ep_values *values, struct topdown_tree *out)
{
	int rc = make_tree(model, values, out);

	return rc ? rc : ep_model_eval(model, values, out->metrics, NULL);
}

static int evaluate_scope(
	struct ep_model *model, const struct ep_metric_scope *scope, struct topdown_tree *out)
{
	int rc = make_tree(model, &scope->values, out);

	return rc ? rc : ep_metric_scope_eval(scope, model, out->metrics, NULL);
}

static void finish_tree(struct topdown_tree *tree)
{
	free(tree->metrics);
}

/* ---- which loss ---- */

static bool is_loss(const struct topdown_tree *tree, uint32_t i, const char *parent)
{
	const struct ep_metric_value *value = &tree->metrics[i];
	const struct ep_formula_metric *metric = value->metric;
	const struct ep_formula_kind *kind = ep_formula_kind_find(metric->kind);

	if (value->result.absence || !kind || !kind->shows_percent || metric->group ||
		(metric->role && !strcmp(metric->role, "useful")))
		return false;
	return parent ? metric->parent && !strcmp(metric->parent, parent)
		      : metric->level == 1 && !metric->parent;
}

static double error_of(const struct topdown_tree *tree, int i)
{
	double error = tree->metrics[i].result.standard_error;

	return isnan(error) ? INFINITY : EP_BAR_ERRORS * error;
}

static double value_of(const struct topdown_tree *tree, int i)
{
	return tree->metrics[i].result.value;
}

static bool has_same_base(const struct topdown_tree *tree, int a, int b)
{
	const char *x = tree->metrics[a].metric->base, *y = tree->metrics[b].metric->base;

	return x && y ? !strcmp(x, y) : x == y;
}

/* Returns the child of parent that lost most, if its interval does not overlap those of the other children; else
 * -1. */
static int find_worst(const struct topdown_tree *tree, const char *parent)
{
	uint32_t n = ep_model_file(tree->model)->n_metrics;
	int worst = -1;

	for (uint32_t i = 0; i < n; i++) {
		if (!is_loss(tree, i, parent))
			continue;
		if (tree->metrics[i].is_negative || tree->metrics[i].is_above_one ||
			tree->metrics[i].broken)
			return -1; /* if one child's value is impossible, none is trusted */
		if (value_of(tree, (int)i) > (worst < 0 ? 0 : value_of(tree, worst)))
			worst = (int)i;
	}
	for (uint32_t i = 0; worst >= 0 && i < n; i++)
		if ((int)i != worst && is_loss(tree, i, parent) &&
			(!has_same_base(tree, (int)i, worst) ||
				value_of(tree, (int)i) + error_of(tree, (int)i) >=
					value_of(tree, worst) - error_of(tree, worst)))
			return -1;
	return worst;
}

/* ---- how much of it ---- */

/* Returns a metric in units of the first level's base. A metric that is a share of its base is multiplied by the
 * amount of the base, which may be a share itself. NaN: not known. */
static double amount_of(const struct topdown_tree *tree, const char *name, int depth)
{
	int i = ep_model_find_metric(tree->model, name);

	if (i < 0) {
		const struct ep_measured *event = ep_values_find(tree->values, name);

		return event && event->is_measured && !event->is_mixed ? event->value : NAN;
	}
	const struct ep_formula_metric *metric = tree->metrics[i].metric;
	const struct ep_formula_kind *kind = ep_formula_kind_find(metric->kind);
	double value = tree->metrics[i].result.absence ? NAN : value_of(tree, i);

	if (!kind || !kind->shows_percent || !metric->base || depth == 0)
		return value;
	return value * amount_of(tree, metric->base, depth - 1);
}

enum { MAX_DEPTH = 8 };

static int find_row(const struct ep_report *report, const struct ep_chosen_models *models,
	double all, struct ep_loss_path *path)
{
	__attribute__((cleanup(ep_metric_scopes_finish))) struct ep_metric_scopes scopes = { 0 };
	const struct ep_scope_request by_procedure = { EP_SCOPE_PROCEDURE, 0, NAN, NAN };
	const char *loss = path->levels[path->n_levels - 1]->name;
	int rc = ep_metric_scopes_create(report, &by_procedure, &models->table, &scopes);

	for (uint32_t i = 0; !rc && i < scopes.n_scopes; i++) {
		__attribute__((cleanup(finish_tree))) struct topdown_tree tree;

		rc = evaluate(models->models[0], &scopes.scopes[i].values, &tree);
		double share = rc ? NAN : amount_of(&tree, loss, MAX_DEPTH) / all;

		/* estimates may make a part a little larger than the whole */
		if (share > path->row_share && share <= 1.1) {
			path->row_share = fmin(share, 1);
			path->row = &report->procedures.rows[i];
		}
	}
	return rc;
}

/* Returns a node's share in the first level's base. If a child has another base, such as cycles instead of slots, its
 * value cannot be compared with its parent's. Then the children's values only tell how the parent's share is split
 * among them. */
static double share_of(const struct topdown_tree *tree, int i, const struct ep_loss_path *path)
{
	const struct ep_formula_metric *metric = tree->metrics[i].metric;
	double sum = 0;

	if (!path->n_levels)
		return value_of(tree, i);
	if (metric->base && path->levels[0]->base && !strcmp(metric->base, path->levels[0]->base))
		return value_of(tree, i);
	for (uint32_t k = 0; k < ep_model_file(tree->model)->n_metrics; k++)
		if (is_loss(tree, k, metric->parent) && has_same_base(tree, (int)k, i))
			sum += value_of(tree, (int)k);
	return path->share * value_of(tree, i) / fmax(1, sum);
}

/* If a child has less than this part of its parent's share, the parent describes the loss better. */
static const double least_part = 0.4;

static void go_down(const struct topdown_tree *tree, struct ep_loss_path *path)
{
	const char *parent = NULL;

	while (path->n_levels < EP_LOSS_MAX_LEVELS) {
		int worst = find_worst(tree, parent);

		if (worst < 0)
			return;
		double share = share_of(tree, worst, path);

		if (!(share >= min_share && share <= 1) ||
			(path->n_levels && share < least_part * path->share))
			return;
		path->levels[path->n_levels++] = tree->metrics[worst].metric;
		path->share = share;
		path->bar = isinf(error_of(tree, worst))
				    ? NAN
				    : error_of(tree, worst) * share / value_of(tree, worst);
		parent = tree->metrics[worst].metric->name;
	}
}

/* If nearly every event is 0, the values of a tree mean nothing. */
bool ep_counts_nothing(const struct ep_report *report)
{
	uint32_t n_zero = 0, n_counted = 0;

	for (uint32_t e = 0; e < report->n_events; e++) {
		if (!ep_quantity_is_known(&report->events[e].total.count))
			continue;
		n_zero += report->events[e].total.count.value == 0;
		n_counted += report->events[e].total.count.value != 0;
	}
	return n_zero >= 4 && n_zero >= 3 * n_counted;
}

int ep_topdown_find_scope_loss(
	struct ep_model *model, const struct ep_metric_scope *scope, struct ep_loss_path *out)
{
	__attribute__((cleanup(finish_tree))) struct topdown_tree tree = { 0 };
	int rc = evaluate_scope(model, scope, &tree);

	*out = (struct ep_loss_path){ .bar = NAN };
	if (!rc)
		go_down(&tree, out);
	return rc;
}

int ep_topdown_find_loss(const struct ep_report *report, const char *cpuid,
	struct ep_chosen_models *models, struct ep_loss_path *out)
{
	__attribute__((cleanup(ep_metric_scopes_finish))) struct ep_metric_scopes scopes = { 0 };
	__attribute__((cleanup(finish_tree))) struct topdown_tree tree = { 0 };
	const struct ep_scope_request whole = { EP_SCOPE_PROGRAM, 0, NAN, NAN };
	int rc = ep_counts_nothing(report)
			 ? -ENODATA
			 : ep_chosen_models_open(models, "topdown", NULL, cpuid, NULL);

	*out = (struct ep_loss_path){ .bar = NAN };
	if (rc)
		return rc == -ENOMEM ? rc : 0;
	rc = ep_metric_scopes_create(report, &whole, &models->table, &scopes);
	if (!rc)
		rc = evaluate_scope(models->models[0], &scopes.scopes[0], &tree);
	if (rc)
		return rc;
	go_down(&tree, out);
	if (!out->n_levels)
		return 0;
	return find_row(report, models,
		amount_of(&tree, out->levels[out->n_levels - 1]->name, MAX_DEPTH), out);
}
