// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints metrics for people: a tree for each group of the file, where every number has its base, its error bar and
 * its coverage; then the values that are in no tree, and the checks that do not hold.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/containers/names.h"
#include "reporter/formula/formula_view.h"
#include "reporter/text/signs.h"

/* Error bars are printed as twice the standard error. */
static const double bar_width = 2;

struct metric_tree {
	const struct ep_scope_view *view;
	const struct ep_formula_file *file;
	const char *group; /* the group that is printed; NULL: metrics that are in no group */
	FILE *out;
};

static bool is_in_group(const char *groups, const char *group)
{
	size_t size;

	if (!groups || !group)
		return !groups && !group;
	for (size = strlen(group); *groups; groups += strspn(groups, ";")) {
		size_t word = strcspn(groups, ";");

		if (word == size && !memcmp(groups, group, size))
			return true;
		groups += word;
	}
	return false;
}

static bool is_child(const struct metric_tree *t, uint32_t idx, const char *parent)
{
	const struct ep_formula_metric *m = &t->file->metrics[idx];

	if (!(m->level >= 1) || !is_in_group(m->group, t->group))
		return false;
	return parent ? m->parent && !strcmp(m->parent, parent) : !m->parent;
}

/* Tells whether the metric is a share of what is lost, such as issue slots without useful work. Only shares
 * of the same base can be ranked. */
static bool is_loss(const struct ep_metric_value *value)
{
	const struct ep_formula_kind *kind = ep_formula_kind_find(value->metric->kind);

	return !value->result.absence && kind && kind->shows_percent &&
	       !(value->metric->role && !strcmp(value->metric->role, "useful"));
}

static bool has_same_base(const struct ep_metric_value *a, const struct ep_metric_value *b)
{
	const char *x = a->metric->base, *y = b->metric->base;

	return x && y ? !strcmp(x, y) : x == y;
}

static double error_of(const struct ep_metric_value *value)
{
	double error = value->result.standard_error;

	return isnan(error) ? INFINITY : bar_width * error;
}

/* Returns the child with the largest loss. Returns -1 if the error interval of this child overlaps that of
 * another one, or if another one has another base, so that the largest is not known. An unknown interval
 * overlaps all others. */
static int find_worst(const struct metric_tree *t, const char *parent)
{
	const struct ep_metric_value *values = t->view->metrics;
	int worst = -1;

	for (uint32_t i = 0; i < t->file->n_metrics; i++)
		if (is_child(t, i, parent) && is_loss(&values[i]) &&
			values[i].result.value > (worst < 0 ? 0 : values[worst].result.value))
			worst = (int)i;
	for (uint32_t i = 0; worst >= 0 && i < t->file->n_metrics; i++)
		if ((int)i != worst && is_child(t, i, parent) && is_loss(&values[i]) &&
			(!has_same_base(&values[i], &values[worst]) ||
				values[i].result.value + error_of(&values[i]) >=
					values[worst].result.value - error_of(&values[worst])))
			return -1;
	return worst;
}

/* Writes a large number in a form that is easy to read, such as "361.04 M". The formats tsv, csv and json have
 * every digit. */
static void format_large(char out[32], double value, int digits)
{
	static const char *const prefixes[] = { "k", "M", "G", "T", "P" };
	size_t i = 0;

	value /= 1e3;
	while (fabs(value) >= 1e3 && i + 1 < EP_ARRAY_SIZE(prefixes)) {
		value /= 1e3;
		i++;
	}
	snprintf(out, 32, "%.*g %s", digits, value, prefixes[i]);
}

#define LARGE 1e5

static void print_number(double value, FILE *out)
{
	char text[32];

	if (fabs(value) >= LARGE)
		format_large(text, value, 5);
	else
		snprintf(text, sizeof(text), "%.5g", value);
	fprintf(out, "%12s", text);
}

static void print_error(double error, const char *sign, FILE *out)
{
	char text[32];

	if (error >= LARGE)
		format_large(text, error, 3);
	else
		snprintf(text, sizeof(text), error >= 100 ? "%.0f" : "%.2g", error);
	fprintf(out, " %s%s", sign, text);
}

/* Prints shares in percent with one digit, and other values with as many digits as are readable. */
static void print_value(const struct ep_metric_value *value, const char *sign, FILE *out)
{
	const struct ep_formula_kind *kind = ep_formula_kind_find(value->metric->kind);
	bool percent = kind && kind->shows_percent;
	double scale = percent ? 100 : 1;
	double error = error_of(value) * scale;

	if (percent)
		fprintf(out, "%10.1f %%", value->result.value * scale);
	else
		print_number(value->result.value, out);
	if (isnan(value->result.standard_error))
		fprintf(out, " %s?", sign);
	else if (error > 0 && percent)
		fprintf(out, error < 0.05 ? " %s<0.1" : " %s%.1f", sign, error);
	else if (error > 0)
		print_error(error, sign, out);
}

/* Tells whether the value's base is printed. A unit such as cycles/instruction already says what the value is
 * relative to. */
static bool needs_base(const struct ep_metric_value *value)
{
	const struct ep_formula_kind *kind = ep_formula_kind_find(value->metric->kind);

	return value->metric->base && (!value->metric->unit || (kind && kind->shows_percent));
}

static void print_remarks(const struct ep_metric_value *value, FILE *out)
{
	if (needs_base(value))
		fprintf(out, " of %s", value->metric->base);
	if (value->metric->unit)
		fprintf(out, " %s", value->metric->unit);
	if (value->result.coverage < 1)
		fprintf(out, ", measured %.0f %% of the time", value->result.coverage * 100);
	if (value->is_negative)
		fputs("  [negative: not a valid value]", out);
	if (value->is_above_one)
		fputs("  [above 100 %: not a valid share]", out);
	if (value->broken)
		fputs("  [its counts cannot be: see below]", out);
	if (ep_trust_is_warning(&value->trust))
		fputs("  [contradicted: see below]", out);
	if (value->is_over_threshold)
		fputs("  *", out);
}

/* Prints a calibration's verdict on the metric below the metric's line. */
static void print_verdict(const struct ep_metric_value *value, int depth, FILE *out)
{
	fprintf(out, "%*s(%s)\n", 2 * depth + 4, "",
		value->metric->verdict ? value->metric->verdict : "not checked by evcal check");
}

static void print_line(const struct metric_tree *t, uint32_t idx, int depth, bool is_worst)
{
	const struct ep_metric_value *value = &t->view->metrics[idx];

	fprintf(t->out, "%s%*s%-*s", is_worst ? "> " : "  ", 2 * depth, "", 34 - 2 * depth,
		value->metric->name);
	if (value->result.absence) {
		fputs("         -   ", t->out);
		ep_metric_value_print_status(value, t->out);
	} else {
		print_value(value, ep_sign_plus_minus(t->view->utf8), t->out);
		print_remarks(value, t->out);
	}
	fputc('\n', t->out);
	if (t->view->shows_details)
		print_verdict(value, depth, t->out);
}

/* Prints the metrics below parent. No real file is as deep as the limit of depth, which ends the printing if
 * the parents in a file form a ring. on_path: parent is the largest loss of its level, so that its largest
 * child is marked too. */
static void print_children(const struct metric_tree *t, const char *parent, int depth, bool on_path)
{
	enum { MAX_DEPTH = 12 };
	int worst = on_path ? find_worst(t, parent) : -1;

	for (uint32_t i = 0; i < t->file->n_metrics && depth < MAX_DEPTH; i++) {
		if (!is_child(t, i, parent))
			continue;
		print_line(t, i, depth, (int)i == worst);
		print_children(t, t->file->metrics[i].name, depth + 1, (int)i == worst);
	}
}

static void print_check(const struct ep_check_value *value, FILE *out)
{
	fprintf(out, "! %s does not hold: %g %s %g expected", value->check->name,
		value->value.value, value->relation, value->bound.value);
	if (value->check->cause)
		fprintf(out, "; probable cause: %s", value->check->cause);
	fputc('\n', out);
}

/* Warns that a calibration found that the metric, or a metric from which it is computed, does not measure the
 * quantity in its name. */
static void print_warning(const struct ep_metric_value *value, FILE *out)
{
	const struct ep_formula_metric *source = value->trust.leans_on;

	if (source)
		fprintf(out, "! %s uses %s, which a calibration contradicts\n", value->metric->name,
			source->name);
	else
		fprintf(out, "! %s is not to be relied on: %s\n", value->metric->name,
			value->metric->verdict);
}

/* Tells whether the value needs a warning. An absent value needs none. */
static bool needs_warning(const struct ep_metric_value *value)
{
	return !value->result.absence && ep_trust_is_warning(&value->trust);
}

static int collect_groups(const struct ep_formula_file *file, struct ep_names *groups)
{
	uint32_t idx;

	for (uint32_t i = 0; i < file->n_metrics; i++) {
		EP_AUTOFREE char *copy =
			file->metrics[i].group ? strdup(file->metrics[i].group) : NULL;
		char *rest = copy, *group;

		while (rest && (group = strsep(&rest, ";")))
			if (ep_names_add(groups, group, &idx))
				return -1;
	}
	return 0;
}

static void print_group(struct metric_tree *t, const char *group)
{
	t->group = group;
	if (group)
		fprintf(t->out, "  [%s]\n", group);
	print_children(t, NULL, 0, true);
}

static void print_beside(const struct metric_tree *t)
{
	bool any = false;

	for (uint32_t i = 0; i < t->file->n_metrics; i++) {
		if (t->file->metrics[i].level >= 1)
			continue;
		if (!any)
			fputs("  [beside the tree]\n", t->out);
		any = true;
		print_line(t, i, 0, false);
	}
}

/* Prints the heading with the uncertainty of counting samples: a count from n samples has an error of 196 /
 * sqrt(n) per cent, the 95 % interval of a Poisson count. A quotient of two counts from the same samples is
 * better known. */
static void print_heading(const struct ep_scope_view *view, FILE *out)
{
	if (!view->scope)
		return;
	fputs(view->scope, out);
	if (view->n_samples)
		fprintf(out, "  %" PRIu64 " sample%s: counts are good to %s%.0f %%, ratios better",
			view->n_samples, view->n_samples == 1 ? "" : "s",
			ep_sign_plus_minus(view->utf8), 196 / sqrt((double)view->n_samples));
	fputc('\n', out);
}

static int print_scope(const struct ep_scope_view *view, FILE *out)
{
	__attribute__((cleanup(ep_names_finish))) struct ep_names groups = { 0 };
	struct metric_tree t = { view, ep_model_file(view->model), NULL, out };
	char measured[320];

	if (collect_groups(t.file, &groups))
		return -ENOMEM;
	print_heading(view, out);
	if (t.file->title)
		fprintf(out, "%s\n", t.file->title);
	if (ep_formula_file_describe_measured(t.file, measured, sizeof(measured)))
		fprintf(out, "%s\n", measured);
	print_group(&t, NULL);
	for (uint32_t i = 0; i < groups.n_names; i++)
		print_group(&t, groups.texts[i]);
	print_beside(&t);
	for (uint32_t i = 0; i < t.file->n_metrics; i++)
		if (needs_warning(&view->metrics[i]))
			print_warning(&view->metrics[i], out);
	for (uint32_t i = 0; !view->perf_semantics && i < t.file->n_checks; i++)
		if (view->checks[i].state == EP_CHECK_BROKEN)
			print_check(&view->checks[i], out);
	return 0;
}

int ep_view_tree(const struct ep_scope_view *views, size_t n_views, FILE *out)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < n_views; i++) {
		if (i)
			fputc('\n', out);
		rc = print_scope(&views[i], out);
	}
	return rc;
}
